import { expect } from "vitest";
import type { CheckReport } from "../src/cli/check/run-check.ts";
import { type Finished, runCommand } from "./_command.ts";

export const TOKEN = "default:development.upstream-secret";
export const KEYS = { FLAGS_API_TOKEN: TOKEN, FLAGS_PROXY_CLIENT_KEYS: "first-key,second-key" };

/** Runs `flags-proxy check`, and expects that its output contains no secret. */
export async function check(
  environment: Record<string, string>,
  ...args: string[]
): Promise<Finished> {
  const result = await runCommand({ ...KEYS, ...environment }, ["check", ...args]);
  expect(result.stdout + result.stderr).not.toMatch(/upstream-secret|first-key|second-key/);
  expect(result.stderr).toBe("");
  return result;
}

/** Returns the report of `flags-proxy check --json`. */
export async function report(environment: Record<string, string>): Promise<CheckReport> {
  const { stdout, code } = await check(environment, "--json");
  const result = JSON.parse(stdout) as CheckReport;
  expect(code).toBe(result.problems.length === 0 ? 0 : 1);
  return result;
}
