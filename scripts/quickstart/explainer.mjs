import { compileSnapshot, explain, parseDocument } from "flags-engine";

const TIMEOUT_MS = 5000;
const FIELDS = ["appName", "userId", "sessionId", "environment", "remoteAddress", "currentTime"];

/**
 * Returns a function that explains the results of all flags for a context, by name. It reads the
 * definitions like a server SDK, and evaluates them with the engine.
 */
export function createExplainer(adminUrl, backendToken) {
  let etag;
  let snapshot = compile({ features: [] });

  const refresh = async () => {
    const response = await fetch(`${adminUrl}/api/client/features`, {
      headers: {
        authorization: backendToken,
        // The version of the client specification, without which segments would be inlined.
        "unleash-client-spec": "5.2.0",
        ...(etag && { "if-none-match": etag }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (response.status === 304) return;
    if (!response.ok) throw new Error(`The definitions could not be read: ${response.status}`);
    snapshot = compile(JSON.parse(text));
    etag = response.headers.get("etag") ?? undefined;
  };

  return async function explainAll(query) {
    await refresh();
    const context = toContext(query);
    return new Map(
      snapshot.flags.map(({ name }) => [name, toPage(explain(snapshot, name, context))]),
    );
  };
}

function compile(document) {
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

const RANDOM =
  "It is random for each request, because the context has neither a user id nor a session id.";

/** Reduces an explanation to what the page shows. */
function toPage({ enabled, explanation, dependencies, strategies, variantSelection }) {
  const rollouts = strategies.map(({ activation }) => activation.rollout);
  const isRandom = [...rollouts, variantSelection].some(
    (one) => one?.bucket !== undefined && one.field === undefined,
  );
  const rules = strategies.map(({ constraints, segments, activation }) =>
    toParts([...constraints, ...segments, activation]),
  );
  return {
    // A random result is a different one in the next request.
    ...(!isRandom && { enabled }),
    explanation: isRandom ? RANDOM : explanation,
    rules: dependencies.length === 0 ? rules : [toParts(dependencies), ...rules],
  };
}

function toParts(conditions) {
  return conditions.map(({ matched, explanation: text }) => ({ matched, text }));
}

/** Reads the context from the query of `GET /proxy`. The proxy adds the address of the caller. */
function toContext(query) {
  const properties = {};
  const context = { remoteAddress: "127.0.0.1", properties };
  for (const [key, value] of query) {
    const name = /^properties\[(.+)\]$/.exec(key)?.[1];
    if (name !== undefined) properties[name] = value;
    else if (FIELDS.includes(key)) context[key] = value;
  }
  return context;
}
