import { expect, test } from "vitest";
import { type RegisteredRoute, sendLines } from "../../server-kit/test/_raw-request.ts";
import { listRegisteredRoutes } from "./_registered-routes.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const FOREIGN = "host: evil.example";
const OWN = "host: 127.0.0.1";
const AUTHORIZED = `authorization: ${ADMIN_TOKEN}`;

/** Routes that accept any `Host`: those for SDKs, and probes. */
const FOR_ANY_HOST = /^\/(?:api\/client\/.*|edge\/validate|health|ready)$/;

const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port);

function sendTo(port: number, { method, path }: RegisteredRoute, ...headers: readonly string[]) {
  const hasBody = !["GET", "HEAD"].includes(method);
  const body = hasBody ? ["content-type: application/json", "content-length: 0"] : [];
  // The list of routes omits a part of this path.
  const complete = path.replace("/openapi/*", "/openapi/static/*");
  const target = complete.replaceAll(/:\w+|\*/g, "1");
  return sendLines(port, `${method} ${target} HTTP/1.1`, ...headers, ...body);
}

describeAnyStorage("requests that a browser may have been led to send", (source) => {
  const service = useService(source);

  test("every route checks the Host before the token, except those for SDKs and probes", async () => {
    const routes = listRegisteredRoutes(service.app);
    expect(routes.length).toBeGreaterThan(120);
    for (const route of routes) {
      const { method, path } = route;
      const { status, text } = await sendTo(portOf(service), route, FOREIGN, AUTHORIZED);
      const isForAny = FOR_ANY_HOST.test(path);
      expect([method, path, status === 421]).toEqual([method, path, !isForAny]);
      if (!isForAny && method !== "HEAD") expect(text).toContain("ALLOWED_HOSTS");
    }
    expect(routes.filter(({ path }) => FOR_ANY_HOST.test(path)).length).toBeGreaterThan(8);
  });

  test("so does the page of the console at every path, but not an error for a program", async () => {
    for (const path of ["/", "/projects/default", "//", "/?x"]) {
      const request = [`GET ${path} HTTP/1.1`, "accept: text/html"] as const;
      expect((await sendLines(portOf(service), ...request, OWN)).status).not.toBe(421);
      const { status } = await sendLines(portOf(service), ...request, FOREIGN);
      expect([path, [404, 421].includes(status)]).toEqual([path, true]);
    }
    const { status } = await sendLines(portOf(service), "GET /proxy HTTP/1.1", FOREIGN);
    expect(status).toBe(404);
  });

  test("no response has CORS headers", async () => {
    for (const { method, path } of listRegisteredRoutes(service.app)) {
      if (path.endsWith("/streaming")) continue;
      for (const sent of [method, "OPTIONS"]) {
        const headers = [OWN, "origin: https://shop.example", `authorization: ${BACKEND_TOKEN}`];
        const { text } = await sendTo(portOf(service), { method: sent, path }, ...headers);
        expect([sent, path, /^access-control-/im.test(text)]).toEqual([sent, path, false]);
      }
    }
  });

  test("names in ALLOWED_HOSTS and PUBLIC_URL are accepted, but not one that the request forwards", async () => {
    const configured = await startService(service.storage, {
      host: "127.0.0.1",
      allowedHosts: ["flags-admin"],
      publicUrl: "https://flags.example.com/",
      trustProxy: true,
    });
    const statusWith = async (...headers: string[]) =>
      (
        await sendLines(
          portOf(configured),
          "GET /api/admin/projects HTTP/1.1",
          AUTHORIZED,
          ...headers,
        )
      ).status;
    expect(await statusWith("host: flags-admin:4242")).toBe(200);
    expect(await statusWith("host: Flags.Example.com")).toBe(200);
    expect(await statusWith("host: localhost")).toBe(200);
    expect(await statusWith("host: 192.168.1.5")).toBe(421);
    expect(await statusWith(FOREIGN, "x-forwarded-host: localhost")).toBe(421);
    expect(await statusWith("host: localhost", "x-forwarded-host: evil.example")).toBe(200);
  });

  test("paths must be written as documented, except for additional slashes of the APIs", async () => {
    for (const [path, status] of [
      ["//internal-backstage/prometheus", 404],
      ["/internal-backstage/prometheus/", 404],
      ["/internal-backstage//prometheus", 404],
      ["/%69nternal-backstage/prometheus", 404],
      ["/internal%2Dbackstage/prometheus", 404],
      ["/%61pi/admin/projects", 404],
      ["/api/%61dmin/projects", 404],
      ["/api/admin/projects/%64efault/featur%65s", 404],
      ["/%61uth/session", 404],
      ["//auth/session", 404],
      ["/%64ocs/openapi.json", 404],
      ["/%61pi/client/features", 404],
      ["/internal-backstage/prometheus", 200],
      ["/api/admin/projects/%64efault", 200],
      ["//api/admin/projects/", 200],
    ] as const) {
      const reply = await sendLines(portOf(service), `GET ${path} HTTP/1.1`, OWN, AUTHORIZED);
      expect([path, reply.status]).toEqual([path, status]);
    }
    const features = `authorization: ${BACKEND_TOKEN}`;
    const reply = await sendLines(
      portOf(service),
      "GET //api//client/features/ HTTP/1.1",
      FOREIGN,
      features,
    );
    expect(reply.status).toBe(200);
  });
});
