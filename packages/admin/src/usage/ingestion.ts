import { Batcher } from "../storage/batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { putApplications, type SeenApplication } from "./write-applications.ts";
import { type UsageEntry, type UsageReport, writeUsage } from "./write-usage.ts";

/** Stores the reports of SDKs and proxies. The promises resolve when the report is in the database. */
export interface UsageIngestion {
  addUsage(report: UsageReport): Promise<void>;
  addApplications(applications: readonly SeenApplication[]): Promise<void>;
}

const MAX_REPORTS = 200;

/**
 * Largest number of rows of a batch. Each batch is one transaction, whose log must fit into the reserved disk space,
 * and which blocks the process on the embedded database. A larger report is stored in parts.
 */
const MAX_ROWS = 10_000;

export function createUsageIngestion(storage: Storage): UsageIngestion {
  const usage = new Batcher<UsageReport, undefined>({
    run: async (reports) => {
      await writeUsage(storage, reports);
      return [];
    },
    maxItems: MAX_REPORTS,
    sizeOf: countRows,
    maxSize: MAX_ROWS,
  });
  const registrations = new Batcher<readonly SeenApplication[], undefined>({
    run: async (lists) => {
      await storage.transact((db) => putApplications(db, lists.flat()));
      return [];
    },
    maxItems: MAX_REPORTS,
    sizeOf: (applications) => applications.length,
    maxSize: MAX_ROWS,
  });
  return {
    addUsage: async (report) => {
      // oxlint-disable-next-line no-await-in-loop -- if a part fails, the following ones are not stored
      for (const part of partsOf(report)) await usage.add(part);
    },
    addApplications: async (applications) => {
      if (applications.length > 0) await registrations.add(applications);
    },
  };
}

function partsOf(report: UsageReport): readonly UsageReport[] {
  if (countRows(report) <= MAX_ROWS) {
    return report.entries.length > 0 || report.instance !== undefined ? [report] : [];
  }
  const parts: UsageEntry[][] = [];
  let rows = MAX_ROWS;
  for (const entry of report.entries) {
    rows += 1 + entry.variants.size;
    // One row is for the instance.
    if (rows >= MAX_ROWS) {
      parts.push([]);
      rows = 1 + entry.variants.size;
    }
    parts.at(-1)?.push(entry);
  }
  return parts.map((entries) => ({ ...report, entries }));
}

function countRows({ entries, instance }: UsageReport): number {
  const instances = instance === undefined ? 0 : 1;
  return entries.reduce((sum, { variants }) => sum + 1 + variants.size, instances);
}
