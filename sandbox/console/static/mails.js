// The invitation e-mails that the sandbox sent to candidates, and those of one invitation beside them.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, copyButton, get, kept, linkTo, lostPane, post, setQuery, state, textSearch, toQuery, visit } from "./core.js";
import { avatar, stepNotice } from "./candidate.js";
import { candidatePath, clockTime, fullTime, plural, shortDay, shortIDs } from "./format.js";

let [mails, place] = [null, ""]; // The place is the row to which j or k moved last.

const opened = () => state.query.get("mail");
const ofOpened = () => (mails ?? []).filter((m) => m.invitation_id === opened());

// load numbers the e-mails from the oldest one, so that each keeps its number.
async function load() {
  const all = (await get("mails")).mails.map((m, i) => ({ ...m, nth: i })).reverse();
  if (opened()) await loadSenders(all.filter((m) => m.invitation_id === opened()));
  mails = all;
}

// loadSenders finds the requests that sent the e-mails of an invitation: the writes that name it sent them in their order.
async function loadSenders(all) {
  const { entries } = await get("journal", { search: `${opened()} method:POST` });
  for (const route of ["/resend", "/invitations"]) {
    const sent = entries.filter((e) => e.done && !e.undone && e.route.endsWith(route));
    all.filter((m) => m.resent === (route === "/resend")).forEach((m, i) => (m.request = sent.at(-1 - i)?.number ?? 0));
  }
}

const openInvitation = (m) => act(() => change(() => post(`invitations/${m.invitation_id}/open`), stepNotice(m.invitation_id, m.name)));

const stageOf = (m) => m.ended || (m.opened ? "opened" : "");

const row = (m) => html`<li><a class=${"mail-row " + (stageOf(m) ? "" : "unread")} href=${mailsPage.path + toQuery({ text: state.query.get("text"), mail: m.invitation_id })} data-keep=${"m" + m.nth}
    aria-current=${m.invitation_id === opened() ? "true" : nothing}>${avatar(m.name || m.email, m.email)}
  <span class="from"><b><bdi>${m.name}</bdi></b> <small title=${m.email}><bdi>${m.email}</bdi></small></span>
  <span class="topic"><b>${m.subject}</b> <span class="quiet">${m.text.replace(/\s+/g, " ")}</span></span>
  <span class="stage">${m.resent ? html`<span class="mark">resent</span> ` : nothing}<small>${stageOf(m)}</small></span>
  <time class="quiet" title=${fullTime(m.at)}>${shortDay(m.at)} ${clockTime(m.at).slice(0, 5)}</time></a></li>`;

const letter = (m) => html`<article class="letter"><dl class="meta facts"><div><dt><small>From</small></dt><dd><bdi>${m.sender}</bdi></dd></div>
    <div><dt><small>Sent</small></dt><dd><time>${fullTime(m.at)}${m.at.slice(19, 23)}</time></dd></div>
    <div><dt><small>Sent by</small></dt><dd>${m.request ? html`<a href=${linkTo("", { request: m.request })}>request #${m.request}</a>` : m.request === 0 ? "no request in the journal" : "…"}</dd></div></dl>
  <h3>${m.subject}${m.resent ? html`<span class="mark">resent</span>` : nothing}</h3><p>${m.text}</p><p><a href=${candidatePath(m.invitation_id)}>${location.host + shortIDs(candidatePath(m.invitation_id))}</a></p></article>`;

function close() {
  const row = `m${ofOpened()[0]?.nth}`;
  setQuery({ mail: "" });
  requestAnimationFrame(() => kept(row)?.focus());
}

// pane shows the e-mails of an invitation. The link in them is that of the candidate in the sandbox.
function pane() {
  const all = ofOpened(),
    [m] = all;
  if (!m) return lostPane("E-mails", "The live data has no such e-mail: a reset or an undo removed it.", close);
  const address = candidatePath(m.invitation_id);
  return html`<section class="pane" aria-label=${"E-mails to " + m.name} aria-describedby="headline" tabindex="-1" data-ready>
    <div class="head"><div class="title">${avatar(m.name || m.email, m.email)}<h2 class="headline" id="headline"><a href=${address} title="The candidate"><bdi>${m.name}</bdi></a></h2>
      <button class="plain small" aria-label="Close (Esc)" @click=${close}>✕</button></div>
    <p class="meta"><bdi>${m.email}</bdi>${m.organization ? html`<bdi>${m.organization}</bdi>` : nothing}<b>${stageOf(m) || "not opened"}</b></p>
    <p class="line">${stageOf(m) ? nothing : html`<button @click=${() => openInvitation(m)}>Open as candidate</button>`}${copyButton(location.origin + address, "Copy link of the candidate", "Copy link")}</p></div>
    ${all.map(letter)}<p class="quiet">The sandbox made these texts. The service's own may differ.</p></section>`;
}

// move goes to another row. If the e-mails of an invitation are open, it opens those of the next other invitation.
function move(columns, by) {
  const rows = [...document.querySelectorAll(".mail-row")],
    current = rows.filter((r) => r.ariaCurrent), // Several, if the invitation was sent again.
    at = rows.indexOf(opened() ? (current.find((r) => r.dataset.keep === place) ?? current[0]) : document.activeElement),
    others = (by > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(at, 0)).reverse()).filter((r) => !r.ariaCurrent),
    next = others[Math.min(Math.abs(by), others.length) - 1];
  if (columns || !next) return false;
  place = next.dataset.keep;
  if (opened()) visit(next.pathname, Object.fromEntries(new URLSearchParams(next.search)), false);
  if (!document.querySelector(".pane")?.contains(document.activeElement)) next.focus();
  return true;
}

const maxShown = 200;

function view() {
  if (!mails) return nothing;
  if (!mails.length)
    return html`<section class="panel guide"><h1>No e-mails yet</h1>
      <p>Each invitation of the live data sends an e-mail, which stays here. <a href=${linkTo("pipeline", {})}>Invite a candidate</a>.</p></section>`;
  const text = (state.query.get("text") ?? "").toLowerCase(),
    found = mails.filter((m) => [m.subject, m.name, m.email].some((part) => part.toLowerCase().includes(text)));
  return html`<h1 class="gone">Mails</h1><div class="filters" role="search">${textSearch("Search subjects, names and addresses")}
      <span class="quiet" role="status">${text ? `${found.length} of ` : ""}${plural(mails.length, "e-mail")}, not sent over the network</span></div>
    <div class=${"split " + (opened() ? "open" : "")}><section class="listing mails" aria-label="E-mails, newest first">${found.length ? html`<ol>${repeat(found.slice(0, maxShown), (m) => m.nth, row)}</ol>` : html`<p class="none">No e-mail matches.</p>`}
      ${found.length > maxShown ? html`<p class="none">The search finds the other ${found.length - maxShown}.</p>` : nothing}</section>${opened() ? pane() : nothing}</div>`;
}

export const mailsPage = {
  name: "mails", title: "Mails", path: "/_sandbox/console/mails", changes: ["assessments", "journal"], load, view, move,
  enter: () => document.querySelector(".mail-row")?.focus(),
  key: (name) => name === "Escape" && opened() && (close(), true),
  candidates: () => mailsPage.refresh(),
};
