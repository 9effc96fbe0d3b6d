import { readFile } from "node:fs/promises";
import { HttpError } from "../core/http/errors.ts";
import { JSON_TYPE, type Reply, textReply } from "../core/http/reply.ts";
import { FOR_PAGES, type Route } from "../core/routing/route.ts";

const FILES = new URL("../../dist/swagger-ui/", import.meta.url);

const TYPES = new Map([
  ["swagger-ui.css", "text/css; charset=utf-8"],
  ["index.css", "text/css; charset=utf-8"],
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
  ["start.js", "text/javascript; charset=utf-8"],
]);

/** Swagger UI adds inline styles, and images and fonts as `data:` URLs. */
const POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  "connect-src 'self'",
  "font-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "img-src 'self' data:",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
].join("; ");

/** @param describe returns the OpenAPI document. Undefined: it is not enabled, and the routes say so */
export function apiPageRoutes(
  basePath: string,
  describe: (() => object) | undefined,
): readonly Route[] {
  const shared = {
    method: "GET",
    summary: "",
    tags: [],
    responses: {},
    isHidden: true,
    audience: FOR_PAGES,
  } as const;
  if (describe === undefined) {
    const audience = { ...FOR_PAGES, checksHost: false };
    const disabled = { ...shared, audience, authenticate: refuse, handle: refuse };
    return ["/docs/openapi", "/docs/openapi.json"].map((path) => ({ ...disabled, path }));
  }
  const files = `${basePath}/docs/openapi/static`;
  let json: string | undefined;
  return [
    {
      ...shared,
      path: "/docs/openapi",
      handle: () => page("text/html; charset=utf-8", writePage(files)),
    },
    {
      ...shared,
      path: "/docs/openapi/static/:file",
      handle: async (call) => {
        const name = call.param("file");
        const type = TYPES.get(name);
        if (type === undefined) throw new HttpError(404, "There is no such file");
        const isStart = name === "start.js";
        return page(
          type,
          isStart ? writeScript(basePath) : await readFile(new URL(name, FILES), "utf8"),
        );
      },
    },
    {
      ...shared,
      path: "/docs/openapi.json",
      handle: () => {
        json ??= JSON.stringify(describe());
        return textReply(JSON_TYPE, json);
      },
    },
  ];
}

function refuse(): never {
  throw new HttpError(
    404,
    "The OpenAPI document is not enabled: set `enableOAS` (ENABLE_OAS) to true",
  );
}

function page(contentType: string, text: string): Reply {
  return textReply(contentType, text, { "content-security-policy": POLICY });
}

function writePage(files: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Flags proxy</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${files}/swagger-ui.css" />
    <link rel="stylesheet" href="${files}/index.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${files}/swagger-ui-bundle.js"></script>
    <script src="${files}/start.js"></script>
  </body>
</html>
`;
}

function writeScript(basePath: string): string {
  return `SwaggerUIBundle({
  url: ${JSON.stringify(`${basePath}/docs/openapi.json`)},
  dom_id: "#swagger-ui",
  deepLinking: true,
});
`;
}
