import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { describeEachStorage } from "./_storages.ts";
import { useService } from "./_service.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describeEachStorage("the start page", (source) => {
  const service = useService(source);
  const open = (accept: string) => service.request("/", { headers: { accept } });

  test("links what a browser can open", async () => {
    const response = await open(BROWSER);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const links = [...(await response.text()).matchAll(/<a href="([^"]+)"/g)];
    expect(links.length).toBeGreaterThan(4);
    for (const [, link = ""] of links) {
      expect((await service.request(`/${link}`)).status, link).toBe(200);
    }
  });

  test("allows no scripts, and only its own style", async () => {
    const response = await open(BROWSER);
    const style = /<style>(.*)<\/style>/s.exec(await response.text())?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("script-src");
    expect(response.headers.get("x-frame-options")).toBe("DENY");
  });

  test.each(["*/*", "application/json"])("is a JSON error for %s", async (accept) => {
    const response = await open(accept);
    expect(response.status).toBe(404);
    expect(response.headers.get("vary")).toBe("accept");
    expect(await response.json()).toMatchObject({ name: "NotFoundError" });
  });
});
