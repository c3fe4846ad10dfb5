// This file keeps the scroll position during live updates. Copy buttons, shortcuts,
// pausing and filters without a button need it. Everything else works without it.
(() => {
  "use strict";
  const connection = document.getElementById("connection");
  const live = document.getElementById("live");
  const headerHeight = 64;
  const showConnection = (state) => {
    if (!connection) return;
    connection.hidden = false;
    connection.dataset.state = state;
    for (const text of connection.querySelectorAll("[data-when]")) text.hidden = text.dataset.when !== state;
  };
  document.addEventListener("htmx:sseOpen", () => showConnection("open"));
  document.addEventListener("htmx:sseError", () => showConnection("lost"));

  // findAnchor returns the element whose position on the screen an update must not
  // change, or null: the focused or hovered row or card, else, if the page is
  // scrolled, the first visible one. Columns side by side grow independently, so
  // without focus and pointer no card is an anchor for all of them.
  const findAnchor = () => {
    if (!live) return null;
    if (live.contains(document.activeElement)) return document.activeElement.closest("[id]");
    const hovered = live.querySelector("tbody tr:hover a[id], .card:hover[id]");
    if (hovered || scrollY < 8) return hovered;
    const bounds = (element) => element.getBoundingClientRect();
    const columnPositions = new Set([...live.querySelectorAll(".column")].map((column) => bounds(column).left));
    if (columnPositions.size > 1) return null;
    return [...live.querySelectorAll("tbody a[id], .card[id]")].find((element) => bounds(element).top >= headerHeight);
  };
  let anchor = null; // The position and focus before an update.
  let paused = false;
  let pendingUpdate = null; // The newest update during a pause.
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    if (paused) {
      pendingUpdate = event.detail.data;
      event.preventDefault();
      return;
    }
    const element = findAnchor();
    anchor = element && { id: element.id, top: element.getBoundingClientRect().top, focused: element === document.activeElement };
  });
  const restorePosition = () => {
    const element = anchor && document.getElementById(anchor.id);
    if (element) {
      if (anchor.focused && document.activeElement !== element) element.focus({ preventScroll: true });
      scrollBy(0, element.getBoundingClientRect().top - anchor.top);
    }
    anchor = null;
    showCopyButtons();
  };
  document.addEventListener("htmx:sseMessage", restorePosition);

  const pause = document.getElementById("pause");
  if (pause) {
    pause.hidden = false;
    pause.addEventListener("click", () => {
      paused = !paused;
      pause.setAttribute("aria-pressed", String(paused));
      pause.textContent = paused ? "Resume" : "Pause";
      if (!paused && pendingUpdate !== null) {
        htmx.swap(live, pendingUpdate, { swapStyle: "innerHTML", swapDelay: 0, settleDelay: 0 });
        pendingUpdate = null;
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
    const index = rows.indexOf(document.activeElement);
    const help = document.getElementById("shortcuts");
    switch (event.key) {
    case "/":
      if (filters) {
        event.preventDefault();
        filters.elements.text.focus();
      }
      break;
    case "j":
      rows[Math.min(index + 1, rows.length - 1)]?.focus();
      break;
    case "k":
      rows[Math.max(index - 1, 0)]?.focus();
      break;
    case "?":
      help.open = !help.open;
      if (help.open) help.scrollIntoView({ block: "nearest" });
      break;
    }
  });
})();
