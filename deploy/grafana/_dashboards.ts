import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly datasource: { readonly type: string; readonly uid: string };
  }[];
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
}

/** A dashboard of Grafana, as far as the tests read it. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

const DIRECTORY = fileURLToPath(new URL(".", import.meta.url));

/** All dashboards, by file name. */
export const DASHBOARDS: ReadonlyMap<string, Dashboard> = new Map(
  readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(".json"))
    .map((file) => [file, JSON.parse(readFileSync(join(DIRECTORY, file), "utf8")) as Dashboard]),
);

/** Returns the queries of all panels, with values in place of Grafana's variables. */
export function queriesOf({ panels }: Dashboard): readonly string[] {
  return panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll("$__rate_interval", "5m")
        .replaceAll("$job", ".*")
        .replaceAll("$instance", ".*"),
    ),
  );
}
