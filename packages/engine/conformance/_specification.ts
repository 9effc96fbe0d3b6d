import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Context } from "../src/index.ts";

// The official client specification 6.1.0: every case of every file.

/** The total number of cases. Tests check that they run all of them. */
export const CASE_COUNT = 279;

export type State =
  | { readonly features: readonly unknown[] }
  | { readonly events: readonly unknown[] };

export interface Case<Expected> {
  readonly description: string;
  readonly context: Context;
  readonly toggleName: string;
  readonly expectedResult: Expected;
}

export interface ExpectedVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly feature_enabled: boolean;
  readonly payload?: unknown;
}

export interface Specification {
  readonly name: string;
  readonly state: State;
  readonly tests?: readonly Case<boolean>[];
  readonly variantTests?: readonly Case<ExpectedVariant>[];
}

const require = createRequire(import.meta.url);

function readSpecification(file: string): unknown {
  const path = require.resolve(`@unleash/client-specification/specifications/${file}`);
  return JSON.parse(readFileSync(path, "utf8"));
}

const files = readSpecification("index.json") as readonly string[];

export const specifications: readonly Specification[] = files.map(
  (file) => readSpecification(file) as Specification,
);
