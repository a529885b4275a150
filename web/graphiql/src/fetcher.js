// Addresses are relative to the page, so that the service may be mounted below a path of its host.

const noToken = { errors: [{ message: "A token is needed: give one above, or a client's id and secret." }] };

// fetcherFor returns a fetcher that sends operations with a token. Without a token it sends nothing, unless the caller
// has set an Authorization header in the headers editor.
export function fetcherFor(token) {
  return async (operation, { headers = {} } = {}) => {
    const own = new Headers(headers);
    if (token && !own.has("Authorization")) own.set("Authorization", `Bearer ${token}`);
    if (!own.has("Authorization")) return noToken;
    own.set("Content-Type", "application/json");
    own.set("Accept", "application/graphql-response+json, application/json;q=0.9, text/event-stream;q=0.9");
    const leave = new AbortController();
    const response = await fetch("graphql", {
      method: "POST", headers: own, body: JSON.stringify(operation), credentials: "omit", signal: leave.signal,
    });
    if (response.headers.get("Content-Type") === "text/event-stream") return eventsOf(response, leave);
    return response.json();
  };
}

// eventsOf yields the results of a subscription until it ends or the reader stops.
function eventsOf(response, leave) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const end = { value: undefined, done: true };
  let text = "";
  return {
    async next() {
      for (;;) {
        const [event, ...rest] = text.split("\n\n", 2);
        if (rest.length > 0) {
          text = text.slice(event.length + 2);
          const answer = event.match(/^event: next\ndata: (.*)$/);
          if (answer) return { value: JSON.parse(answer[1]), done: false };
          continue;
        }
        const more = await reader.read().catch((fault) => {
          if (leave.signal.aborted) return end;
          throw fault;
        });
        if (more.done) return end;
        text += more.value;
      }
    },
    async return() {
      leave.abort();
      return end;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

// fetchToken requests a token for a client.
export async function fetchToken(clientID, secret) {
  const response = await fetch("v1/token", {
    method: "POST",
    credentials: "omit",
    headers: { Accept: "application/json" },
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientID, client_secret: secret }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message ?? `the service answered ${response.status}`);
  return answer.access_token;
}
