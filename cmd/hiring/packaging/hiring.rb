class Hiring < Formula
  desc "Command line of the Hiring Assessment API"
  homepage "https://github.com/hiring-assessment/hiring-go"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@URL@/hiring_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@SUM_darwin_arm64@"
    end
    on_intel do
      url "@URL@/hiring_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@SUM_darwin_amd64@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/hiring_@VERSION@_linux_arm64.tar.gz"
      sha256 "@SUM_linux_arm64@"
    end
    on_intel do
      url "@URL@/hiring_@VERSION@_linux_amd64.tar.gz"
      sha256 "@SUM_linux_amd64@"
    end
  end

  def install
    bin.install "bin/hiring"
    share.install Dir["share/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hiring --version")
  end
end
