// The page within a frame: it gives the player the token that came with it, and a new one whenever that is over, as
// long as the page's own address holds.

const { video, token, renew } = document.body.dataset;
const player = document.querySelector("filmstrip-player");
const state = document.getElementById("state");

let first = token;

async function provide() {
  if (first) {
    const given = first;
    first = undefined;
    return given;
  }
  const answer = await fetch(new URL(renew, location.href), { cache: "no-store" });
  const body = await answer.json();
  if (!answer.ok) {
    state.textContent = body.message;
    state.hidden = false;
    throw new Error(body.message);
  }
  return body.token;
}

await customElements.whenDefined("filmstrip-player");
player.tokenProvider = provide;
player.src = new URL(`../v1/videos/${video}`, location.href).href;
