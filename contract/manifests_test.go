package contract

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kinds are the Kubernetes types that the manifests may use.
var kinds = map[string]func() any{
	"apps/v1 Deployment":            func() any { return new(appsv1.Deployment) },
	"v1 PersistentVolumeClaim":      func() any { return new(corev1.PersistentVolumeClaim) },
	"policy/v1 PodDisruptionBudget": func() any { return new(policyv1.PodDisruptionBudget) },
}

// decodeManifest decodes every document of a manifest into the type of its kind. A
// field that the type does not have is an error.
func decodeManifest(t *testing.T, file string, text []byte) (objects []any, err error) {
	t.Helper()
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var meta struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if err := yaml.Unmarshal(document, &meta); err != nil {
			return nil, err
		}
		kind, known := kinds[meta.APIVersion+" "+meta.Kind]
		require.True(t, known, "%s: no type for %s %s", file, meta.APIVersion, meta.Kind)
		object := kind()
		text, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, err
		}
		unknown, err := json.UnmarshalStrict(text, object) // As the API server: names are case-sensitive.
		if err = errors.Join(append(unknown, err)...); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

func manifests(t *testing.T) map[string][]any {
	t.Helper()
	all := make(map[string][]any)
	for _, pattern := range []string{"../examples/*/*.yaml", "../jobs/examples/*/deploy/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all[file], err = decodeManifest(t, file, text)
			require.NoError(t, err, file)
		}
	}
	require.Len(t, all, 2)
	return all
}

// TestKubernetesManifestsMatchTheirSchema checks the manifests against the types of
// Kubernetes, and what these types do not check: labels, volumes and secrets.
func TestKubernetesManifestsMatchTheirSchema(t *testing.T) {
	t.Parallel()
	for file, objects := range manifests(t) {
		for _, object := range objects {
			if d, ok := object.(*appsv1.Deployment); ok {
				checkDeployment(t, file, d)
			}
			if b, ok := object.(*policyv1.PodDisruptionBudget); ok {
				require.Equal(t, objects[0].(*appsv1.Deployment).Spec.Selector, b.Spec.Selector, file)
			}
		}
	}
}

func checkDeployment(t *testing.T, file string, d *appsv1.Deployment) {
	t.Helper()
	pod := d.Spec.Template.Spec
	assert.Equal(t, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels, "%s: the selector matches the pods", file)
	assert.False(t, *pod.AutomountServiceAccountToken, file)
	assert.True(t, *pod.SecurityContext.RunAsNonRoot, file)
	var declared, mounted []string
	for _, v := range pod.Volumes {
		declared = append(declared, v.Name)
	}
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			mounted = append(mounted, m.Name)
		}
		checkContainer(t, file, pod, c)
	}
	assert.ElementsMatch(t, declared, mounted, "%s: volumes", file)
	if claims := slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.PersistentVolumeClaim != nil }); claims {
		assert.Equal(t, int32(1), *d.Spec.Replicas, "%s: a checkpoint file is for one process", file)
		assert.Equal(t, appsv1.RecreateDeploymentStrategyType, d.Spec.Strategy.Type, file)
	} else {
		assert.Greater(t, *d.Spec.Replicas, int32(1), file)
	}
}

// checkContainer wants the key as a mounted file that is updated, in no variable.
func checkContainer(t *testing.T, file string, pod corev1.PodSpec, c corev1.Container) {
	t.Helper()
	assert.True(t, *c.SecurityContext.ReadOnlyRootFilesystem, file)
	assert.False(t, *c.SecurityContext.AllowPrivilegeEscalation, file)
	variables := make(map[string]string)
	for _, v := range c.Env {
		variables[v.Name] = v.Value
	}
	assert.NotContains(t, variables, "HIRING_API_KEY", file)
	folder, name := filepath.Split(variables["HIRING_API_KEY_FILE"])
	assert.Equal(t, "api-key", name, "%s: the name that the comment's kubectl command gives", file)
	for _, m := range c.VolumeMounts {
		if m.MountPath+"/" != folder {
			continue
		}
		assert.Empty(t, m.SubPath, "%s: a subPath is never updated", file)
		assert.True(t, slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name && v.Secret != nil }), file)
		folder = ""
	}
	assert.Empty(t, folder, "%s: no volume is mounted there", file)
}

// TestManifestWithAMisspeltFieldIsRejected shows that the schema check notices mistakes.
func TestManifestWithAMisspeltFieldIsRejected(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile("../examples/poll/deployment.yaml")
	require.NoError(t, err)
	for _, change := range [][2]string{
		{"readOnlyRootFilesystem:", "readOnlyRootFileSystem:"},
		{"replicas: 1", "replicas: one"},
		{"containerPort: 8781", "port: 8781"},
		{"secretName:", "name:"},
	} {
		bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		require.NotEqual(t, good, bad, change)
		_, err := decodeManifest(t, "changed", bad)
		require.Error(t, err, change)
	}
}

// unitKeys are the keys that the units may use, by section.
var unitKeys = map[string]string{
	"Unit": "Description Documentation Wants After",
	"Service": "EnvironmentFile LoadCredential Environment ExecStart Restart RestartSec RestartPreventExitStatus TimeoutStopSec " +
		"DynamicUser StateDirectory StateDirectoryMode UMask CapabilityBoundingSet NoNewPrivileges ProtectSystem ProtectHome PrivateTmp " +
		"PrivateDevices PrivateUsers ProtectClock ProtectControlGroups ProtectHostname ProtectKernelLogs ProtectKernelModules " +
		"ProtectKernelTunables ProtectProc ProcSubset RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID " +
		"LockPersonality MemoryDenyWriteExecute SystemCallArchitectures SystemCallFilter SystemCallErrorNumber MemoryMax TasksMax",
	"Install": "WantedBy",
}

// unitProblems returns the lines of a unit that are no comment, section or known key.
func unitProblems(text string) (problems []string) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, _, assigned := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
			if unitKeys[section] == "" {
				problems = append(problems, line)
			}
		case !assigned || !slices.Contains(strings.Fields(unitKeys[section]), key):
			problems = append(problems, line)
		}
	}
	return problems
}

// TestSystemdUnitsAreValid checks the keys of the units and, where systemd is
// installed, their values with systemd-analyze.
func TestSystemdUnitsAreValid(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"Restrat=always", "ExecStart=/bin/true"}, unitProblems("[Service]\nRestrat=always\n[Install]\nExecStart=/bin/true\n"))
	executable := regexp.MustCompile(`(?m)^ExecStart=\S+`)
	for _, file := range []string{"../examples/poll/poll.service", "../jobs/examples/team/deploy/team@.service"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, unitProblems(string(text)), file)
		assert.Contains(t, string(text), "\nLoadCredential=api-key:", file)
		assert.Contains(t, string(text), "\nEnvironment=HIRING_API_KEY_FILE=%d/api-key\n", file)
		analyze, err := exec.LookPath("systemd-analyze")
		if err != nil {
			t.Log("systemd-analyze is not installed: only keys were checked")
			continue
		}
		// Its program is not installed here: /bin/true takes its place.
		unit := filepath.Join(t.TempDir(), filepath.Base(file))
		require.NoError(t, os.WriteFile(unit, executable.ReplaceAll(text, []byte("ExecStart=/bin/true")), 0o600))
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput()
		require.NoError(t, err, "%s: %s", file, out)
		assert.NotContains(t, string(out), "Unknown key", file)
	}
}
