import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { flag, withConstraint } from "./_documents.ts";
import { ABORT, AFTER_CONTINUE, type RawExchange } from "./_raw-exchange.ts";

/** Settings with which every request of the table is answered, by the names of their variables. */
export const RAW_SETTINGS = {
  FLAGS_API_TOKEN: "default:development.upstream-secret",
  FLAGS_PROXY_CLIENT_KEYS: "client-key-1,client-key-2",
  EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "secret-server-token",
  ENABLE_ALL_ENDPOINT: "true",
  CORS_ORIGIN: "https://a.example,https://b.example",
} as const;

/** Without a user, it is off. With stickiness that uses the session, responses could be random. */
const HALF_OF_USERS = {
  name: "flexibleRollout",
  parameters: { rollout: "50", stickiness: "userId", groupId: "half" },
  constraints: [],
};

/** One flag of each form that a response can contain. */
export const RAW_DOCUMENT = {
  version: 2,
  features: [
    flag("on"),
    flag("off", { enabled: false }),
    flag("for-gold", { strategies: [withConstraint("plan", ["gold"])] }),
    flag("for-long", {
      strategies: [withConstraint("plan", ["long"])],
      variants: [
        {
          name: "text",
          weight: 1000,
          stickiness: "default",
          payload: { type: "string", value: "worth compressing, ".repeat(100) },
        },
      ],
    }),
    flag("half", { strategies: [HALF_OF_USERS], impressionData: true }),
    flag("ærlig", {
      variants: [
        {
          name: "blå",
          weight: 1000,
          stickiness: "default",
          payload: { type: "json", value: '{"a":"é\\n"}' },
        },
      ],
    }),
  ],
  segments: [],
};

interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** The value of `Authorization`; undefined: none. */
  readonly key?: string | undefined;
  /** The lines of the other headers, instead of `Host: flags`. */
  readonly host?: readonly string[];
  readonly headers?: readonly string[];
}

/** Returns the head of a request. */
function head(parts: Parts = {}): string {
  const { method = "GET", target = QUERY, version = "1.1", host = ["Host: flags"] } = parts;
  const key = "key" in parts ? parts.key : "client-key-1";
  const authorization = key === undefined ? [] : [`Authorization: ${key}`];
  const lines = [...host, ...authorization, ...(parts.headers ?? [])];
  return `${[`${method} ${target} HTTP/${version}`, ...lines].join("\r\n")}\r\n\r\n`;
}

const get = (target: string, ...headers: readonly string[]): RawExchange => ({
  sends: [head({ target, headers })],
});
const request = (parts: Parts): RawExchange => ({ sends: [head(parts)] });

const JSON_TYPE = "Content-Type: application/json";

/** A POST of a body with its length. */
function post(
  target: string,
  body: string | Buffer,
  headers: readonly string[] = [JSON_TYPE],
): RawExchange {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  return { sends: [head({ method: "POST", target, headers: [...headers, length] }), body] };
}

const QUERY = "/proxy?userId=1&sessionId=1";
const LONG_QUERY = `${QUERY}&plan=long`;
const CONTEXT = '{"context":{"userId":"1","sessionId":"1","properties":{"plan":"gold"}}}';
const NAMED = '{"context":{"sessionId":"1"},"toggles":["off","on","unknown"]}';
const CHUNKED = [JSON_TYPE, "Transfer-Encoding: chunked"];
const chunk = (text: string): string =>
  `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const coded = (coding: string): readonly string[] => [JSON_TYPE, `Content-Encoding: ${coding}`];
const METRICS =
  '{"appName":"a","instanceId":"i","bucket":{"start":"2026-01-01T00:00:00Z","stop":"2026-01-01T00:01:00Z","toggles":{"on":{"yes":1,"no":0}}}}';
const OFREP_CONTEXT = '{"context":{"targetingKey":"1","sessionId":"1"}}';
const PREFLIGHT = ["Origin: https://a.example", "Access-Control-Request-Method: GET"];

/**
 * Requests as bytes, by what is special about them. `raw-answers.txt` contains the answers that every build and every way to
 * serve the proxy gives.
 */
export const RAW_REQUESTS: Readonly<Record<string, RawExchange>> = {
  // Methods
  "GET /proxy": get(QUERY),
  "HEAD /proxy": request({ method: "HEAD" }),
  "POST /proxy": post("/proxy", CONTEXT),
  "POST /proxy with names": post("/proxy", NAMED),
  "POST /proxy with repeated names": post("/proxy", '{"context":{},"toggles":["on","on","off"]}'),
  "DELETE /proxy": request({ method: "DELETE" }),
  "TRACE /proxy": request({ method: "TRACE" }),
  "an unknown method": request({ method: "FETCH" }),
  "PATCH of an unknown path": request({ method: "PATCH", target: "/unknown" }),
  "OPTIONS without a preflight": request({ method: "OPTIONS" }),
  "OPTIONS *": request({ method: "OPTIONS", target: "*" }),
  CONNECT: { ...request({ method: "CONNECT", target: "flags:443" }), responses: Infinity },
  "GET with a body": {
    sends: [head({ headers: [JSON_TYPE, "Content-Length: 2"] }), "{}"],
  },
  "lower-case method": { ...request({ method: "get" }), responses: Infinity },

  // Targets
  "a trailing slash": get("/proxy/?userId=1&sessionId=1"),
  "two slashes at the start": get("//proxy?userId=1&sessionId=1"),
  "two slashes at the end": get("/proxy//?userId=1&sessionId=1"),
  "a percent-encoded letter": get("/prox%79?userId=1&sessionId=1"),
  "a percent-encoded slash": get("/proxy%2Fall"),
  "malformed percent-encoding in the path": get("/proxy%zz"),
  "another case": get("/PROXY"),
  "a dot segment": get("/a/../proxy"),
  "an absolute-form target": get("http://flags/proxy?userId=1&sessionId=1"),
  "an absolute-form target with a foreign host": get(
    "http://evil.example/proxy?userId=1&sessionId=1",
  ),
  "an operational path with two slashes": get("//internal-backstage/ready"),
  "an operational path, percent-encoded": get("/%69nternal-backstage/ready"),
  "a target without a slash": { ...request({ target: "proxy" }), responses: Infinity },
  "a fragment": get("/proxy?userId=1&sessionId=1#top"),
  "a semicolon in the query": get("/proxy?userId=1;sessionId=1&sessionId=1"),
  "a long target": { ...get(`/proxy?userId=${"u".repeat(20_000)}`), responses: Infinity },

  // Hosts
  "no Host": request({ host: [] }),
  "no Host with HTTP/1.0": { ...request({ host: [], version: "1.0" }), responses: Infinity },
  "two Hosts": request({ host: ["Host: flags", "Host: flags"] }),
  "a foreign Host": request({ host: ["Host: evil.example"] }),
  "a foreign Host at an operational path": request({
    target: "/internal-backstage/ready",
    host: ["Host: evil.example"],
  }),
  "a malformed Host": request({ host: ["Host: a b"] }),

  // Keys
  "no key": request({ key: undefined }),
  "no key, with a body": {
    sends: [
      head({
        key: undefined,
        method: "POST",
        target: "/proxy",
        headers: [JSON_TYPE, "Content-Length: 9"],
      }),
    ],
  },
  "an unknown key": request({ key: "unknown" }),
  "the key as a bearer token": request({ key: "Bearer client-key-1" }),
  "the same key twice": request({ headers: ["Authorization: client-key-1"] }),
  "two keys": request({ headers: ["Authorization: client-key-2"] }),
  "a server token": request({ key: "secret-server-token" }),

  // Contexts
  "a property": get("/proxy?sessionId=1&properties[plan]=gold"),
  "a property with encoded brackets": get("/proxy?sessionId=1&properties%5Bplan%5D=gold"),
  "a property as a parameter": get("/proxy?sessionId=1&plan=gold"),
  "a repeated parameter": get("/proxy?sessionId=1&plan=gold&plan=silver"),
  "properties as text": get("/proxy?properties=gold"),
  "a nested property": get("/proxy?properties[a][b]=1"),
  "malformed percent-encoding in the query": get("/proxy?sessionId=1&plan=%zz"),
  "an invalid time": get("/proxy?currentTime=soon"),
  "an empty body": post("/proxy", ""),
  "malformed JSON": post("/proxy", '{"context":'),
  "a list as a body": post("/proxy", "[]"),
  "no context": post("/proxy", "{}"),
  "a context that is text": post("/proxy", '{"context":"1"}'),
  "a nested context value": post("/proxy", '{"context":{"userId":{}}}'),
  "toggles that are text": post("/proxy", '{"context":{},"toggles":"on"}'),
  "numbers, booleans and null": post(
    "/proxy",
    '{"context":{"userId":1,"sessionId":1,"properties":{"plan":null,"beta":true}}}',
  ),

  // Bodies
  "no content type": post("/proxy", CONTEXT, []),
  "text as a content type": post("/proxy", CONTEXT, ["Content-Type: text/plain"]),
  "another charset": post("/proxy", CONTEXT, ["Content-Type: application/json; charset=latin1"]),
  "a body in chunks": {
    sends: [head({ method: "POST", target: "/proxy", headers: CHUNKED }), chunk(CONTEXT)],
  },
  "a malformed chunk": {
    sends: [head({ method: "POST", target: "/proxy", headers: CHUNKED }), "zz\r\n"],
    responses: Infinity,
  },
  "a gzip body": post("/proxy", gzipSync(CONTEXT), coded("gzip")),
  "a Brotli body": post("/proxy", brotliCompressSync(CONTEXT), coded("br")),
  "a deflate body": post("/proxy", deflateSync(CONTEXT), coded("deflate")),
  "a gzip body that is cut off": post("/proxy", gzipSync(CONTEXT).subarray(0, 40), coded("gzip")),
  "an unknown content coding": post("/proxy", CONTEXT, coded("snappy")),
  "two content codings": post("/proxy", CONTEXT, coded("gzip, br")),
  "a length above the limit": {
    sends: [
      head({ method: "POST", target: "/proxy", headers: [JSON_TYPE, "Content-Length: 1048577"] }),
    ],
  },
  "chunks above the limit": {
    sends: [
      head({ method: "POST", target: "/proxy", headers: CHUNKED }),
      chunk(`{"context":{"userId":"${"u".repeat(1_048_576)}"}}`),
    ],
  },
  "a gzip body above the limit": post(
    "/proxy",
    gzipSync(`{"context":{"userId":"${"u".repeat(1_048_576)}"}}`),
    coded("gzip"),
  ),
  "two lengths": {
    sends: [
      head({
        method: "POST",
        target: "/proxy",
        headers: [JSON_TYPE, "Content-Length: 2", "Content-Length: 3"],
      }),
    ],
    responses: Infinity,
  },
  "a length and chunks": {
    sends: [
      head({ method: "POST", target: "/proxy", headers: [...CHUNKED, "Content-Length: 2"] }),
      chunk("{}"),
    ],
    responses: Infinity,
  },
  "Expect: 100-continue": {
    sends: [
      head({
        method: "POST",
        target: "/proxy",
        headers: [JSON_TYPE, `Content-Length: ${CONTEXT.length}`, "Expect: 100-continue"],
      }),
      AFTER_CONTINUE,
      CONTEXT,
    ],
    responses: 2,
  },
  "Expect: 100-continue without a key": {
    sends: [
      head({
        key: undefined,
        method: "POST",
        target: "/proxy",
        headers: [JSON_TYPE, `Content-Length: ${CONTEXT.length}`, "Expect: 100-continue"],
      }),
    ],
    responses: 2,
  },
  "an unknown Expect": request({ headers: ["Expect: tea"] }),
  "a body that is aborted": {
    sends: [
      head({ method: "POST", target: "/proxy", headers: [JSON_TYPE, "Content-Length: 100"] }),
      '{"context"',
      ABORT,
    ],
  },

  // Connections
  "two pipelined requests": { sends: [head() + head({ target: "/live" })], responses: 2 },
  "a pipelined request after a body": {
    sends: [
      head({
        method: "POST",
        target: "/proxy",
        headers: [JSON_TYPE, `Content-Length: ${CONTEXT.length}`],
      }) +
        CONTEXT +
        head({ target: "/live" }),
    ],
    responses: 2,
  },
  "Connection: close": get(QUERY, "Connection: close"),
  "HTTP/1.0 with keep-alive": request({ version: "1.0", headers: ["Connection: keep-alive"] }),
  "an upgrade": get(QUERY, "Connection: Upgrade", "Upgrade: h2c"),
  "the preface of HTTP/2": { sends: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], responses: Infinity },
  "line feeds only": {
    sends: [head().replaceAll("\r\n", "\n")],
    responses: Infinity,
  },
  "a space before a colon": { ...get(QUERY, "X-Test : 1"), responses: Infinity },
  "a header of 20 kB": { ...get(QUERY, `X-Test: ${"x".repeat(20_000)}`), responses: Infinity },

  // Scripts on other origins
  "an allowed origin": get(QUERY, "Origin: https://a.example"),
  "another origin": get(QUERY, "Origin: https://c.example"),
  "an error for an allowed origin": request({
    key: undefined,
    headers: ["Origin: https://a.example"],
  }),
  "a preflight": request({ method: "OPTIONS", key: undefined, headers: PREFLIGHT }),
  "a preflight with headers": request({
    method: "OPTIONS",
    key: undefined,
    headers: [...PREFLIGHT, "Access-Control-Request-Headers: authorization, x-other"],
  }),
  "a preflight of another origin": request({
    method: "OPTIONS",
    key: undefined,
    headers: ["Origin: https://c.example", "Access-Control-Request-Method: GET"],
  }),
  "a preflight of an unknown path": request({
    method: "OPTIONS",
    target: "/unknown",
    key: undefined,
    headers: PREFLIGHT,
  }),
  "a preflight of a path for server SDKs": request({
    method: "OPTIONS",
    target: "/proxy/client/features",
    key: undefined,
    headers: PREFLIGHT,
  }),

  // Conditional requests and codings
  "If-None-Match: *": get(QUERY, "If-None-Match: *"),
  "If-None-Match with another tag": get(QUERY, 'If-None-Match: "x", W/"y"'),
  "If-None-Match: * and Cache-Control: no-cache": get(
    QUERY,
    "If-None-Match: *",
    "Cache-Control: no-cache",
  ),
  "HEAD with If-None-Match: *": request({ method: "HEAD", headers: ["If-None-Match: *"] }),
  "POST with If-None-Match: *": post("/proxy", CONTEXT, [JSON_TYPE, "If-None-Match: *"]),
  "Accept-Encoding: gzip": request({
    target: "/proxy/client/features",
    key: "secret-server-token",
    headers: ["Accept-Encoding: gzip"],
  }),
  "Accept-Encoding: br": get(LONG_QUERY, "Accept-Encoding: br, gzip"),
  "Accept-Encoding: gzip for a POST": post(
    "/proxy",
    '{"context":{"userId":"1","sessionId":"1","plan":"long"}}',
    [JSON_TYPE, "Accept-Encoding: gzip"],
  ),
  "Accept-Encoding: gzip for a HEAD": request({
    method: "HEAD",
    target: LONG_QUERY,
    headers: ["Accept-Encoding: gzip"],
  }),
  "Accept-Encoding: identity;q=0": get(QUERY, "Accept-Encoding: identity;q=0"),
  "Accept: text/html": get(QUERY, "Accept: text/html"),
  "a range": get(QUERY, "Range: bytes=0-9"),

  // The other paths
  "GET /proxy/all": get("/proxy/all?sessionId=1"),
  "POST /proxy/all": post("/proxy/all", '{"context":{"sessionId":"1"}}'),
  "GET /proxy/health": request({ target: "/proxy/health", key: undefined }),
  "GET /live": request({ target: "/live", key: undefined }),
  "GET /ready": request({ target: "/ready", key: undefined }),
  "POST /proxy/client/metrics": post("/proxy/client/metrics", METRICS),
  "POST /proxy/client/metrics, malformed": post("/proxy/client/metrics", '{"appName":1}'),
  "POST /proxy/client/register": post(
    "/proxy/client/register",
    '{"appName":"a","strategies":[],"started":"2026-01-01T00:00:00Z","interval":1}',
  ),
  "GET /proxy/client/features": request({
    target: "/proxy/client/features",
    key: "secret-server-token",
  }),
  "GET /proxy/client/features with a client key": get("/proxy/client/features"),
  "GET /api/client/features": request({
    target: "/api/client/features",
    key: "secret-server-token",
  }),
  "GET /api/frontend": get("/api/frontend?userId=1&sessionId=1"),
  "POST /api/frontend": post("/api/frontend", CONTEXT),
  "GET /api/frontend/features/on": get("/api/frontend/features/on?sessionId=1"),
  "GET /api/frontend/features/unknown": get("/api/frontend/features/unknown"),
  "GET /api": get("/api"),
  "OFREP: all flags": post("/ofrep/v1/evaluate/flags", OFREP_CONTEXT),
  "OFREP: one flag": post("/ofrep/v1/evaluate/flags/on", OFREP_CONTEXT),
  "OFREP: a percent-encoded name": post("/ofrep/v1/evaluate/flags/%C3%A6rlig", OFREP_CONTEXT),
  "OFREP: an unknown flag": post("/ofrep/v1/evaluate/flags/unknown", OFREP_CONTEXT),
  "OFREP: no context": post("/ofrep/v1/evaluate/flags", "{}"),
  "OFREP: malformed JSON": post("/ofrep/v1/evaluate/flags", "{"),
  "GET of an OFREP path": get("/ofrep/v1/evaluate/flags"),
  "POST /proxy/explain": post("/proxy/explain", CONTEXT),
  "GET /docs/openapi.json": get("/docs/openapi.json"),
  "GET /proxy/internal-backstage/prometheus with a foreign method": request({
    method: "POST",
    target: "/proxy/internal-backstage/prometheus",
  }),
  "POST /edge/validate": {
    sends: post("/edge/validate", '{"tokens":["client-key-1","unknown"]}').sends,
  },
  "GET /": get("/"),
};

/** Reads the answers from the text of `raw-answers.txt`, by the names of their requests. */
export function parseAnswers(text: string): ReadonlyMap<string, string> {
  const sections = text.split(/^### /m).slice(1);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf("\n\n");
      return [section.slice(0, end), section.slice(end + 2).replace(/\n\n$/, "\n")];
    }),
  );
}
