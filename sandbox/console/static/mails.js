// The invitation e-mails that the sandbox sent to candidates, all or those of one candidate.
import { html, nothing } from "./lit/lit-html.js";
import { act, change, get, linkTo, organizations, post, state, titleOf, typed, typedText } from "./core.js";
import { fullTime, plural } from "./format.js";

let mails = null;

async function load() {
  mails = (await get("mails")).mails.reverse();
}

const open = (m, after) =>
  act(async () => {
    await change(() => post(`invitations/${m.invitation_id}/open`), `${m.name} opened the invitation`);
    await after();
  });

// mailList shows e-mails, each with what its link does.
export function mailList(all, after) {
  const row = (m) => html`<li class="mail-row"><p><b>${m.subject}</b> ${m.resent ? html`<span class="mark">resent</span>` : nothing}
      <time class="quiet" title=${m.at}>${fullTime(m.at)}</time></p>
    <p class="quiet">From <bdi>${m.sender}</bdi> to <a href=${linkTo("pipeline", { candidate: m.invitation_id })}><bdi>${m.name}</bdi></a>
      <bdi>${m.email}</bdi>${organizations().length > 1 ? html` · ${titleOf(m.organization)}` : nothing}</p>
    <p>${m.opened ? html`<small>opened</small>` : html`<button class="plain small" @click=${() => open(m, after)} aria-label=${"Open the link as the candidate " + m.name}>Open the link as the candidate</button>`}</p></li>`;
  return all.length
    ? html`<ol class="mails">${all.map(row)}</ol>`
    : html`<p class="quiet">No e-mail was sent. An invitation of the live data sends one.</p>`;
}

const maxShown = 200;

function view() {
  if (!mails) return nothing;
  const text = (state.query.get("text") ?? "").toLowerCase(),
    found = mails.filter((m) => [m.subject, m.name, m.email].some((part) => part.toLowerCase().includes(text)));
  return html`<h1 class="gone">Mails</h1><div class="filters" role="search"><input type="search" name="text" placeholder="Search subjects, names and addresses"
      aria-label="Search subjects, names and addresses" .value=${typedText("text")} @input=${typed}>
      <span class="quiet">${text ? `${found.length} of ` : ""}${plural(mails.length, "e-mail")}, not sent over the network</span></div>
    <section class="panel">${text && !found.length ? html`<p class="quiet">No e-mail matches.</p>` : mailList(found.slice(0, maxShown), load)}
    ${found.length > maxShown ? html`<p class="quiet">The search finds the other ${found.length - maxShown}.</p>` : nothing}</section>`;
}

export const mailsPage = {
  name: "mails", title: "Mails", path: "/_sandbox/console/mails", changes: ["assessments"], load, view,
  candidates: () => mailsPage.refresh(),
};
