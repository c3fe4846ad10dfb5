// What a page does by itself beyond htmx: it says whether it is live, and copies.
// Without this file nothing is missing but that.
(() => {
  "use strict";
  const connection = document.getElementById("connection");
  const tell = (state) => {
    if (!connection) return;
    connection.hidden = false;
    connection.dataset.state = state;
    for (const text of connection.querySelectorAll("[data-when]")) text.hidden = text.dataset.when !== state;
  };
  document.addEventListener("htmx:sseOpen", () => tell("open"));
  document.addEventListener("htmx:sseError", () => tell("lost"));

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.dataset.copied = "yes";
        setTimeout(() => delete button.dataset.copied, 1500);
      } catch {
        getSelection().selectAllChildren(source);
      }
    });
  }
})();
