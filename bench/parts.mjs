import { runEngineBench } from "./engine/run.mjs";
import { reportHttp } from "./http/report.mjs";
import { runHttpBench } from "./http/run.mjs";
import { toTable } from "./report/table.mjs";

/** What `npm run bench` measures, by name: each resolves to a section of the report. */
export const PARTS = {
  engine: async ({ long }) =>
    `## Engine: time per evaluated flag\n\n${toTable(await runEngineBench({ long }))}`,
  http: async ({ http }) => `## HTTP: GET /proxy\n\n${reportHttp(await runHttpBench(http))}`,
};
