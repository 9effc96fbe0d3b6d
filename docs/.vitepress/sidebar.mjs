/**
 * The navigation of the site, in four parts: a tutorial to learn, guides for tasks, reference to look things up, and
 * background to understand. `npm run docs:check` fails unless every page except the start page is listed.
 */
export const SIDEBAR = [
  group("Tutorial", [["Your first flag", "/tutorial/quickstart"]]),
  group("Guides", [
    ["All guides", "/guides/"],
    group("Install", [
      ["Overview and sizing", "/guides/installation"],
      ["npm", "/guides/deployment/npm"],
      ["Container", "/guides/deployment/container"],
      ["systemd", "/guides/deployment/systemd"],
      ["Kubernetes", "/guides/deployment/kubernetes"],
      ["Monitoring", "/guides/deployment/monitoring"],
      ["OpenTelemetry", "/guides/telemetry"],
    ]),
    group("Manage flags", [
      ["Roll out gradually", "/guides/roll-out-gradually"],
      ["Launch at a date", "/guides/launch-at-a-date"],
      ["Undo a change", "/guides/undo-a-change"],
      ["Protect production", "/guides/protect-production"],
      ["Target a list", "/guides/target-a-list"],
      ["Find out why", "/guides/find-out-why"],
      ["Clean up flags", "/guides/clean-up"],
      ["Notify Slack and others", "/guides/notify-slack"],
      ["Accounts", "/guides/accounts"],
      ["Terraform", "/guides/terraform"],
      ["Coding assistants", "/guides/coding-assistant"],
    ]),
    group("Connect clients", [
      ["By language", "/guides/clients/"],
      ["Server SDKs", "/guides/server-sdks"],
      ["Render on the server", "/guides/render-on-the-server"],
      ["Run at the edge", "/guides/run-at-the-edge"],
      ["Cloudflare Workers", "/guides/runtimes/workers"],
      ["Next.js without a proxy", "/guides/runtimes/nextjs"],
    ]),
    group("Migrate", [
      ["Overview", "/guides/migration"],
      ["Replace the Unleash proxy", "/guides/replace-the-unleash-proxy"],
      ["Replace Unleash Edge", "/guides/replace-unleash-edge"],
      ["Move from an Unleash server", "/guides/move-from-an-unleash-server"],
    ]),
    group("Run and extend the proxy", [
      ["Troubleshoot", "/guides/troubleshoot"],
      ["Run a fleet", "/guides/run-a-fleet"],
      ["Several environments", "/guides/several-environments"],
      ["Flags from files", "/guides/flags-from-files"],
      ["Sign contexts", "/guides/sign-contexts"],
      ["Embed", "/guides/embed"],
      ["Strategies and enrichers", "/guides/extend"],
    ]),
  ]),
  group("Reference", [
    group("Flag management", [
      ["The console", "/reference/console"],
      ["The admin API by example", "/reference/admin"],
      ["Operations of the admin API", "/reference/admin-endpoints"],
      ["Changes that others approve", "/reference/change-requests"],
      ["Events", "/reference/events"],
      ["Settings", "/reference/admin-configuration"],
      ["Operation", "/reference/admin-operations"],
    ]),
    group("The proxy", [
      ["Settings", "/reference/configuration"],
      ["Endpoints", "/reference/endpoints"],
      ["OpenFeature (OFREP)", "/reference/ofrep"],
      ["Streams to browsers", "/reference/push"],
      ["Keys and access", "/reference/access"],
      ["Network", "/reference/network"],
      ["Operation", "/reference/operations"],
      ["Persistence", "/reference/persistence"],
      ["Metrics of both", "/reference/metrics"],
    ]),
    ["Messages", "/reference/troubleshooting"],
  ]),
  group("Background", [
    ["Concepts", "/background/concepts"],
    ["Security", "/background/security"],
    ["Comparison", "/background/comparison"],
    ["Decision records", "/decisions/"],
  ]),
];

/** Returns the links of all pages in the navigation. */
export function listLinks(items = SIDEBAR) {
  return items.flatMap((item) => (item.items ? listLinks(item.items) : [item.link]));
}

function group(text, members) {
  const items = members.map((member) =>
    Array.isArray(member) ? { text: member[0], link: member[1] } : member,
  );
  return { text, items };
}
