import { Batcher } from "../storage/batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { putApplications, type SeenApplication } from "./applications.ts";
import { type UsageReport, writeUsage } from "./write-usage.ts";

/** Takes in what SDKs report. Each promise is kept once the report is in the database. */
export interface UsageIntake {
  addUsage(report: UsageReport): Promise<void>;
  addApplications(applications: readonly SeenApplication[]): Promise<void>;
}

const MAX_REPORTS = 200;

/**
 * Rows after which a batch takes no further report. A batch is one transaction, whose log has to fit
 * into the disk space that is kept free, and during which the embedded database blocks the process.
 */
const MAX_ROWS = 10_000;

export function createUsageIntake(storage: Storage): UsageIntake {
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
      if (report.entries.length > 0) await usage.add(report);
    },
    addApplications: async (applications) => {
      if (applications.length > 0) await registrations.add(applications);
    },
  };
}

function countRows({ entries }: UsageReport): number {
  return entries.reduce((sum, { variants }) => sum + 1 + variants.size, 0);
}
