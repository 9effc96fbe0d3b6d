import { Batcher } from "../batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { putApplications, type SeenApplication } from "./applications.ts";
import { writeUsage, type UsageReport } from "./write-usage.ts";

/** Takes in what SDKs report. Each promise is kept once the report is in the database. */
export interface UsageIntake {
  addUsage(report: UsageReport): Promise<void>;
  addApplications(applications: readonly SeenApplication[]): Promise<void>;
}

const MAX_REPORTS = 200;

export function createUsageIntake(storage: Storage): UsageIntake {
  const usage = new Batcher<UsageReport, undefined>({
    run: async (reports) => {
      await writeUsage(storage, reports);
      return [];
    },
    maxItems: MAX_REPORTS,
  });
  const registrations = new Batcher<readonly SeenApplication[], undefined>({
    run: async (lists) => {
      await storage.transact((db) => putApplications(db, lists.flat()));
      return [];
    },
    maxItems: MAX_REPORTS,
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
