import { compileProbes } from "./probes.mjs";
import { explainFlag } from "./explain-flag.mjs";

const TIMEOUT_MS = 5000;
const FIELDS = ["appName", "userId", "sessionId", "environment", "remoteAddress", "currentTime"];

/**
 * Returns a function that explains the results of all flags for a context, by name. It reads the
 * definitions like a server SDK, and evaluates them with the engine.
 */
export function createExplainer(adminUrl, backendToken) {
  let etag;
  let probes = compileProbes({});

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
    probes = compileProbes(JSON.parse(text));
    etag = response.headers.get("etag") ?? undefined;
  };

  return async function explain(query) {
    await refresh();
    const context = toContext(query);
    const { features } = probes;
    return new Map(
      features.map((feature) => [feature.name, explainFlag(probes, feature, context)]),
    );
  };
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
