import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import { version } from "../version.ts";
import { sendError } from "./error-handler.ts";

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2rem; font-size: 1.15rem; }
pre { padding: 0.75rem 1rem; border-radius: 0.5rem; background: color-mix(in srgb, currentColor 8%, transparent); overflow-x: auto; }
code { overflow-wrap: anywhere; }
li { margin: 0.25rem 0; }
a { color: light-dark(#4338ca, #a5a0ff); }
`;

/** NOTE: links are relative, so that they work behind a reverse proxy that adds a path. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>flags-admin</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>flags-admin</h1>
<p>This service manages feature flags, and serves them to server SDKs and proxies. Version ${version}.</p>
<h2>API</h2>
<ul>
<li><a href="docs/openapi">API documentation</a>, to try each request (<a href="docs/openapi.json">OpenAPI document</a>)</li>
<li><code>/api/admin</code>: create and change flags; requires an admin token</li>
<li><code>/api/client/features</code>: the definitions for server SDKs and proxies; requires a backend token</li>
</ul>
<h2>Authentication</h2>
<p>Send a token in the header <code>Authorization</code>. The variables <code>INIT_ADMIN_API_TOKENS</code> and
<code>INIT_CLIENT_API_TOKENS</code> create tokens at the start; an admin can create more at
<code>/api/admin/api-tokens</code>.</p>
<pre><code>curl -H 'Authorization: *:*.your-admin-token' &lt;address of this page&gt;api/admin/projects/default/features</code></pre>
<h2>Operations</h2>
<ul>
<li><a href="health">Health</a>: the process responds</li>
<li><a href="ready">Readiness</a>: the database can be used</li>
<li><a href="internal-backstage/prometheus">Metrics</a> for Prometheus</li>
</ul>
<h2>Documentation</h2>
<p>In the source repository: <code>docs/admin.md</code> explains the API, <code>docs/admin-configuration.md</code> the
settings, and <code>docs/admin-operations.md</code> databases, backups and monitoring.</p>
</main>
</body>
</html>
`;

/** Allows only the style and the icon of the page. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves a page for people who open the address of the service. Other clients get a JSON error. */
export function registerStartPage(app: FastifyInstance): void {
  app.get("/", { schema: { hide: true } }, (request, reply) => {
    reply.header("vary", "accept");
    if (!acceptsHtml(request)) {
      return sendError(reply, new ApiError("NotFoundError", "There is nothing at this path"));
    }
    return reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", POLICY)
      .header("cache-control", "no-cache")
      .serializer(String)
      .send(PAGE);
  });
}

/** Browsers name the type. Programs accept JSON or anything, and would not expect a page. */
function acceptsHtml({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? "");
}
