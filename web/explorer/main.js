import { exchange, fetchToken, setToken } from "./client.js";
import { addTraffic, showDocument, showFailure } from "./view.js";

const at = (id) => document.getElementById(id);
const index = new URL("v1/", document.baseURI).href;

// send sends a request and shows the response. Reads enter the history of the browser, writes do
// not: going back never writes.
async function send(request) {
  if ((request.method ?? "GET") === "GET" && location.hash !== hashOf(request.address)) {
    history.pushState(null, "", hashOf(request.address));
  }
  await show(request);
}

async function show(request) {
  at("address").value = request.address;
  try {
    const answer = await exchange(request);
    addTraffic(answer);
    showDocument(answer, send);
  } catch (error) {
    showFailure(request, error);
  }
}

// An entry of the history holds the address below that of the page.
const hashOf = (address) => `#${address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address}`;
const addressOf = (hash) => new URL(decodeURI(hash.slice(1)), document.baseURI).href;

function useToken(text) {
  setToken(text);
  at("access").textContent = text ? "Requests carry the token." : "No token yet.";
}

at("token").addEventListener("input", (event) => useToken(event.target.value.trim()));
at("credentials").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    useToken(await fetchToken(at("client-id").value, at("client-secret").value));
    at("client-secret").value = "";
    await send({ address: location.hash ? addressOf(location.hash) : index });
  } catch (error) {
    at("access").textContent = `No token: ${error.message}`;
  }
});
at("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  send({ address: new URL(at("address").value, document.baseURI).href });
});
at("back").addEventListener("click", () => history.back());
at("forward").addEventListener("click", () => history.forward());
at("index").addEventListener("click", () => send({ address: index }));
window.addEventListener("popstate", () => { if (location.hash) show({ address: addressOf(location.hash) }); });

at("address").value = location.hash ? addressOf(location.hash) : index;
