/** The navigation of the site. Every page except the start page is listed. */
export const SIDEBAR = [
  group("Start", [
    ["Quickstart", "/quickstart"],
    ["Concepts", "/concepts"],
    ["Comparison", "/comparison"],
    ["FAQ", "/faq"],
  ]),
  group("Install", [
    ["Overview and sizing", "/installation"],
    ["npm", "/deployment/npm"],
    ["Container", "/deployment/container"],
    ["systemd", "/deployment/systemd"],
    ["Kubernetes", "/deployment/kubernetes"],
    ["Monitoring", "/deployment/monitoring"],
    ["OpenTelemetry", "/telemetry"],
  ]),
  group("Migrate", [
    ["Overview", "/migration"],
    ["From the Unleash proxy", "/migration-from-unleash-proxy"],
    ["From Unleash Edge", "/migration-from-edge"],
    ["From an Unleash server", "/migration-from-unleash"],
  ]),
  group("Connect clients", [
    ["By language", "/clients/"],
    ["Endpoints", "/endpoints"],
    ["Frontend API", "/frontend-api"],
    ["OpenFeature (OFREP)", "/ofrep"],
    ["Streams to browsers", "/push"],
    ["Server SDKs", "/server-sdks"],
    ["Server rendering", "/server-rendering"],
  ]),
  group("Manage flags", [
    ["The console", "/console"],
    ["The flag-management service", "/admin"],
    ["Accounts", "/accounts"],
    ["Changes that others approve", "/change-requests"],
    ["Settings", "/admin-configuration"],
    ["Operation", "/admin-operations"],
  ]),
  group("Operate the proxy", [
    ["Settings", "/configuration"],
    ["Several environments", "/environments"],
    ["Flags from files", "/files"],
    ["Keys and access", "/access"],
    ["Signed contexts", "/signed-context"],
    ["Network", "/network"],
    ["Operation", "/operations"],
    ["Usage", "/usage"],
    ["Persistence", "/persistence"],
    ["From one machine to a fleet", "/fleet"],
    ["Security", "/security"],
    ["Explanations", "/explain"],
    ["Troubleshooting", "/troubleshooting"],
  ]),
  group("Runtimes and frameworks", [
    ["Edge runtimes", "/edge"],
    ["Cloudflare Workers", "/runtimes/workers"],
    ["Deno", "/runtimes/deno"],
    ["Bun", "/runtimes/bun"],
    ["Next.js", "/runtimes/nextjs"],
    ["Hono", "/runtimes/hono"],
    ["Express", "/runtimes/express"],
  ]),
  group("Extend", [
    ["Embedding", "/embedding"],
    ["Strategies and enrichers", "/extending"],
  ]),
  group("Background", [
    ["Benchmarks", "/benchmarks"],
    ["Decision records", "/decisions/"],
  ]),
];

function group(text, pages) {
  return { text, items: pages.map(([title, link]) => ({ text: title, link })) };
}
