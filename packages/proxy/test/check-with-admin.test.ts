import { expect, test } from "vitest";
import { makeDatabase, startCommand as startAdmin } from "../../admin/test/_command.ts";
import { check, report, TOKEN } from "./_check.ts";

test("flags-proxy check reports what flags-admin offers, and explains wrong tokens and addresses", async () => {
  const admin = startAdmin({
    ...(await makeDatabase()),
    INIT_ADMIN_API_TOKENS: "*:*.an-admin-token-of-my-choice",
    INIT_CLIENT_API_TOKENS: TOKEN,
    INIT_FRONTEND_API_TOKENS: "default:development.a-frontend-token",
  });
  const origin = await admin.listening();
  const { stdout, code } = await check({
    FLAGS_URL: `${origin}/api`,
    FLAGS_UPSTREAM_KEYS: "true",
  });
  expect(stdout).toMatch(/Token +for project default, environment development\n/);
  expect(stdout).toMatch(/Client keys +2\n/);
  expect(stdout).toMatch(/Upstream keys +verified by the upstream\n/);
  expect(stdout).toMatch(/Flags +0, with 0 segments, \d+ bytes\n/);
  expect(stdout).toMatch(/Environment +development\n/);
  expect(stdout).toMatch(/Clock +equal to that of the upstream \(Date header, accurate to /);
  expect(stdout).toMatch(/Deltas +offered\n +Streaming +offered\n/);
  expect(stdout).toContain("- The upstream sends no flags: check the project and environment");
  expect(stdout).toMatch(/\nUsable: the proxy can start and get flags, 1 warning\n$/);
  expect(code).toBe(0);

  const FLAGS_URL = `${origin}/api`;
  const problemsOf = async (environment: Record<string, string>): Promise<readonly string[]> =>
    (await report({ FLAGS_URL, ...environment })).problems;
  expect(await problemsOf({ FLAGS_API_TOKEN: "default:development.another-secret" })).toEqual([
    `${FLAGS_URL}/client/features responded with 401: the API token is unknown: use a valid one of type client or backend. Set it with FLAGS_API_TOKEN`,
  ]);
  const edge = { FLAGS_URL: "", UPSTREAM_URL: origin, FLAGS_API_TOKEN: "" };
  expect(await problemsOf({ ...edge, TOKENS: "default:development.another-secret" })).toEqual([
    expect.stringMatching(/Set it with TOKENS$/),
  ]);
  expect(await problemsOf({ FLAGS_API_TOKEN: "default:development.a-frontend-token" })).toEqual([
    expect.stringContaining("responded with 403: the API token does not permit this"),
  ]);
  for (const wrongUrl of [origin, `${origin}/api/client/features`]) {
    expect(await problemsOf({ FLAGS_URL: wrongUrl })).toEqual([
      expect.stringMatching(
        new RegExp(`responded with 404: .* Set FLAGS_URL to ${FLAGS_URL}, where flags are found$`),
      ),
    ]);
  }
});
