import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Report } from "../parse/diagnostic.ts";
import type { Segment } from "../parse/model.ts";
import type { CustomStrategy, ReportStrategyError } from "../strategies/custom.ts";

/** What the parts of one flag are compiled against. */
export interface FeatureScope {
  /** The name of the flag. */
  readonly feature: string;
  readonly fields: ContextFields;
  readonly segments: ReadonlyMap<unknown, Segment>;
  readonly hostname: string;
  readonly customStrategies: ReadonlyMap<string, CustomStrategy>;
  readonly reportStrategyError: ReportStrategyError;
  readonly report: Report;
}
