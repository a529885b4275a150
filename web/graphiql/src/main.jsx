import { StrictMode, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { GraphiQL } from "graphiql";
import "graphiql/graphiql.css";
import "./page.css";
import { TokenForm } from "./token-form.jsx";
import { fetcherFor } from "./fetcher.js";
import { firstQuery } from "./first-query.js";
import { correctLabels } from "./labels.js";

// Queries and the token stay in this tab, which forgets them when it is closed.
const storage = window.sessionStorage;
const tokenKey = "filmstrip:token";

function Page() {
  const [token, setToken] = useState(() => storage.getItem(tokenKey) ?? "");
  // A new fetcher makes GraphiQL read the schema again, with the permissions of the new token.
  const fetcher = useMemo(() => fetcherFor(token), [token]);
  const use = (next) => {
    storage.setItem(tokenKey, next);
    setToken(next);
  };
  return (
    <>
      <section id="access-bar" aria-label="Access">
        <h1>GraphiQL</h1>
        <TokenForm token={token} onToken={use} />
      </section>
      <main>
        <GraphiQL
          fetcher={fetcher}
          storage={storage}
          shouldPersistHeaders={false}
          showPersistHeadersSettings={false}
          defaultQuery={firstQuery}
        >
          <GraphiQL.Logo>
            <span />
          </GraphiQL.Logo>
        </GraphiQL>
      </main>
    </>
  );
}

const app = document.getElementById("app");
correctLabels(app);
createRoot(app).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
