// The invitation e-mails that the sandbox sent to candidates, all or those of one candidate.
import { html, nothing } from "./lit/lit-html.js";
import { repeat } from "./lit/directives/repeat.js";
import { act, change, copyButton, draw, get, linkTo, post, state, textSearch } from "./core.js";
import { stepNotice } from "./candidate.js";
import { clockTime, fullTime, plural, shortDay, shortIDs } from "./format.js";

let mails = null;
const requests = new Map(); // Numbers of those that sent the opened e-mails, 0 if no request in the journal did.

// The server has them oldest first, which gives each a number that stays.
const load = async () => (mails = (await get("mails")).mails.map((m, i) => ({ ...m, nth: i })).reverse());

const open = (m) =>
  act(async () => {
    await change(() => post(`invitations/${m.invitation_id}/open`), stepNotice(m.invitation_id, m.name));
    await load();
  });

// link returns an address at which a candidate opens the invitation: that of the candidate in the sandbox.
const link = (m) => linkTo("pipeline", { candidate: m.invitation_id });

// loadSender finds the request that sent an e-mail: the writes that name an invitation sent its e-mails in their order.
const loadSender = (m) =>
  act(async () => {
    const { entries } = await get("journal", { search: `${m.invitation_id} method:POST` }),
      sent = entries.filter((e) => e.done && !e.undone && e.route.endsWith(m.resent ? "/resend" : "/invitations")),
      later = mails.filter((x) => x.invitation_id === m.invitation_id && x.resent === m.resent && x.nth > m.nth).length;
    requests.set(m.nth, sent.at(-1 - later)?.number ?? 0);
    draw();
  });

function sender(m) {
  const number = requests.get(m.nth);
  return number ? html`Sent by request <a href=${linkTo("", { request: number })}>#${number}</a>` : number === 0 ? "No request in the journal sent it." : nothing;
}

// row shows an e-mail. It is open if the address names it.
const row = (m) => html`<li class="mail-row"><p><a href=${link(m)}><bdi>${m.name}</bdi></a> <bdi class="quiet" title=${m.email}>${m.email}</bdi></p>
    <details ?open=${state.query.get("mail") === m.invitation_id} @toggle=${({ newState }) => newState === "open" && loadSender(m)}><summary>${m.subject}${m.resent ? html` <span class="mark">resent</span>` : nothing}</summary>
      <p class="quiet">From <bdi>${m.sender}</bdi>${m.organization ? html` · ${m.organization}` : nothing} · <time>${fullTime(m.at)}${m.at.slice(19, 23)}</time></p><p class="letter">${m.text}</p>
      <p class="line"><code title=${link(m)}>${shortIDs(link(m))}</code>${copyButton(location.origin + link(m), "Copy the link")}</p>
      <p class="line"><span>${sender(m)}</span><a href=${linkTo("mails", { mail: m.invitation_id })}>Link to this e-mail</a><small>The sandbox made this text. The service's own may differ.</small></p></details>
    <time class="quiet" title=${fullTime(m.at)}>${shortDay(m.at)} ${clockTime(m.at)}</time>
    <p>${m.opened || m.ended ? html`<small>${m.ended || "opened"}</small>` : html`<button class="plain small" @click=${() => open(m)} aria-label=${"Open as candidate " + m.name}>Open as candidate</button>`}</p></li>`;

const maxShown = 200;

function view() {
  if (!mails) return nothing;
  if (!mails.length)
    return html`<section class="panel guide"><h1>No e-mails yet</h1>
      <p>Each invitation of the live data sends an e-mail, which stays here. <a href=${linkTo("pipeline", {})}>Invite a candidate</a>.</p></section>`;
  const text = (state.query.get("text") ?? "").toLowerCase(),
    id = text ? null : state.query.get("mail"),
    found = mails.filter((m) => (id ? m.invitation_id === id : [m.subject, m.name, m.email].some((part) => part.toLowerCase().includes(text))));
  return html`<h1 class="gone">Mails</h1><div class="filters" role="search">${textSearch("Search subjects, names and addresses")}
      <span class="quiet" role="status">${text || id ? `${found.length} of ` : ""}${plural(mails.length, "e-mail")}, not sent over the network</span>${id ? html`<a href=${linkTo("mails")}>Show all</a>` : nothing}</div>
    <section class="panel">${found.length ? html`<ol class="mails">${repeat(found.slice(0, maxShown), (m) => m.nth, row)}</ol>` : html`<p class="quiet">No e-mail matches.</p>`}
    ${found.length > maxShown ? html`<p class="quiet">The search finds the other ${found.length - maxShown}.</p>` : nothing}</section>`;
}

export const mailsPage = {
  name: "mails", title: "Mails", path: "/_sandbox/console/mails", changes: ["assessments"], load, view,
  candidates: () => mailsPage.refresh(),
};
