// The share page: signs the user in by the authorisation code flow with PKCE, comes back to the video, and plays it.
// Tokens stay in this page's memory: a reload asks for others, which costs no question as long as the browser is
// signed in. What has to outlive the way to the sign-in page and back lies in sessionStorage, and is taken out there.

import { challengeOf, randomText } from "./pkce.js";

const { client, auth } = document.body.dataset;
const element = (id) => document.getElementById(id);
const player = document.querySelector("filmstrip-player");
const kept = "filmstrip-watch";
const callback = new URL("callback", location.href).href;
const endpoint = (name) => new URL(`${auth}/v1/${name}`, location.href);

let tokens;

// signIn sends the browser to the sign-in page, to come back to a video.
async function signIn(video) {
  if (!crypto.subtle) {
    return show("Signing in needs https, or a page of this very machine.");
  }
  const verifier = randomText(), state = randomText();
  sessionStorage.setItem(kept, JSON.stringify({ verifier, state, video }));
  const address = endpoint("authorize");
  address.search = new URLSearchParams({
    response_type: "code", client_id: client, redirect_uri: callback, scope: "openid", state,
    code_challenge: await challengeOf(verifier), code_challenge_method: "S256",
  });
  location.replace(address);
}

// comeBack goes on with what the sign-in page answered.
async function comeBack() {
  const answer = new URL(location.href).searchParams;
  const begun = JSON.parse(sessionStorage.getItem(kept) ?? "null");
  sessionStorage.removeItem(kept);
  if (!begun || answer.get("state") !== begun.state) {
    return show("This sign-in was not begun here. Open the video's address again.");
  }
  history.replaceState(null, "", new URL(encodeURIComponent(begun.video), location.href));
  if (answer.has("error")) {
    return show(answer.get("error_description") ?? "You were not signed in.", "Sign in again");
  }
  const failed = await exchange({
    grant_type: "authorization_code", code: answer.get("code"), redirect_uri: callback, code_verifier: begun.verifier,
  });
  if (failed) {
    return show(failed, "Sign in again");
  }
  await open(begun.video);
}

// exchange gets tokens; it returns what went wrong, if anything did.
async function exchange(request) {
  const answer = await fetch(endpoint("token"), {
    method: "POST", body: new URLSearchParams({ client_id: client, ...request }), cache: "no-store",
  });
  const body = await answer.json();
  if (!answer.ok) {
    return body.error_description ?? body.message;
  }
  tokens = { ...tokens, ...body };
  return undefined;
}

// provide gives the player a token: a new one each time but the first.
async function provide() {
  if (tokens.fresh) {
    tokens.fresh = false;
    return tokens.access_token;
  }
  const failed = await exchange({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
  if (failed) {
    show("You are no longer signed in.", "Sign in again");
    throw new Error(failed);
  }
  return tokens.access_token;
}

// open shows a video to the user who has signed in.
async function open(video) {
  const signOut = element("sign-out");
  signOut.elements.id_token_hint.value = tokens.id_token ?? "";
  signOut.hidden = false;
  const address = new URL(`../v1/videos/${encodeURIComponent(video)}`, location.href).href;
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${tokens.access_token}` }, cache: "no-store" });
  if (!answer.ok) {
    return show(refusals[answer.status] ?? "The video cannot be shown at the moment.", answer.status === 401 ? "Sign in again" : "Try again");
  }
  const { title, description, _links } = await answer.json();
  document.title = `${title} - Filmstrip`;
  element("title").textContent = title;
  element("description").textContent = description ?? "";
  show("");
  await customElements.whenDefined("filmstrip-player");
  tokens.fresh = true;
  player.hidden = false;
  player.tokenProvider = provide;
  player.src = _links.self.href;
}

const refusals = {
  401: "You are no longer signed in.",
  403: "Your account may not watch videos.",
  404: "There is no such video, or your account may not watch it.",
};

// show says how things stand, and offers a way on where there is one.
function show(text, way) {
  element("state").textContent = text;
  element("ways").hidden = !way;
  element("again").textContent = way ?? "";
}

// named is the last part of the page's address: a video, or the way back.
function named() {
  return decodeURIComponent(location.pathname.slice(location.pathname.lastIndexOf("/") + 1));
}

element("again").addEventListener("click", () => signIn(named()));
await (named() === "callback" ? comeBack() : signIn(named())).catch(() => show("The service does not answer.", "Try again"));
