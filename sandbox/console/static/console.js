// Live updates keep what the reader looks at in place. Copy buttons, shortcuts,
// pausing and filters without a button need this file; everything else works
// without it.
(() => {
  "use strict";
  const connection = document.getElementById("connection");
  const live = document.getElementById("live");
  const report = (state) => {
    if (!connection) return;
    connection.hidden = false;
    connection.dataset.state = state;
    for (const text of connection.querySelectorAll("[data-when]")) text.hidden = text.dataset.when !== state;
  };
  document.addEventListener("htmx:sseOpen", () => report("open"));
  document.addEventListener("htmx:sseError", () => report("lost"));

  // The anchor is the element whose place on the screen an update must not
  // change: the focused or hovered row or card, else the first visible one once
  // the reader has scrolled. Columns side by side grow independently, so none of
  // their cards is the first.
  const anchorOf = () => {
    if (!live) return null;
    if (live.contains(document.activeElement)) return document.activeElement.closest("[id]");
    const hovered = live.querySelector("tbody tr:hover a[id], .card:hover[id]");
    if (hovered || scrollY < 8) return hovered;
    const place = (element) => element.getBoundingClientRect();
    const columns = new Set([...live.querySelectorAll(".column")].map((column) => place(column).left));
    if (columns.size > 1) return null;
    return [...live.querySelectorAll("tbody a[id], .card[id]")].find((element) => place(element).top >= 64);
  };
  let anchor = null;
  let paused = false;
  let missed = null;
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (paused) {
      missed = event.detail.data;
      event.preventDefault();
      return;
    }
    const element = anchorOf();
    anchor = element && { id: element.id, top: element.getBoundingClientRect().top, focused: element === document.activeElement };
  });
  const restore = () => {
    const element = anchor && document.getElementById(anchor.id);
    if (element) {
      if (anchor.focused && document.activeElement !== element) element.focus({ preventScroll: true });
      scrollBy(0, element.getBoundingClientRect().top - anchor.top);
    }
    anchor = null;
    showCopyButtons();
  };
  document.addEventListener("htmx:sseMessage", restore);

  const pause = document.getElementById("pause");
  if (pause) {
    pause.hidden = false;
    pause.addEventListener("click", () => {
      paused = !paused;
      pause.setAttribute("aria-pressed", String(paused));
      pause.textContent = paused ? "Resume" : "Pause";
      if (!paused && missed !== null) {
        htmx.swap(live, missed, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
        missed = null;
        showCopyButtons();
      }
    });
  }

  const copyButtons = "[data-copy], [data-text]";
  const showCopyButtons = () => {
    for (const button of document.querySelectorAll(copyButtons)) button.hidden = false;
  };
  showCopyButtons();
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(copyButtons);
    if (!button) return;
    const source = document.getElementById(button.dataset.copy) || button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(button.dataset.text || source.textContent);
      button.dataset.copied = "yes";
      setTimeout(() => delete button.dataset.copied, 1500);
    } catch {
      getSelection().selectAllChildren(source);
    }
  });

  const filters = document.getElementById("filters");
  if (filters) {
    document.getElementById("apply").hidden = true;
    filters.addEventListener("change", () => filters.requestSubmit());
  }

  // Shortcuts: / searches, j and k move through the rows, ? lists the shortcuts.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    const rows = [...document.querySelectorAll("tbody a[id], .card .who")];
    const at = rows.indexOf(document.activeElement);
    const help = document.getElementById("shortcuts");
    switch (event.key) {
    case "/":
      if (filters) {
        event.preventDefault();
        filters.elements.text.focus();
      }
      break;
    case "j":
      rows[Math.min(at + 1, rows.length - 1)]?.focus();
      break;
    case "k":
      rows[Math.max(at - 1, 0)]?.focus();
      break;
    case "?":
      help.open = !help.open;
      if (help.open) help.scrollIntoView({ block: "nearest" });
      break;
    }
  });
})();
