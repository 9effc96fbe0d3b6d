import type { Context, CustomStrategy } from "flags-engine";

/**
 * Base of custom activation strategies. A plain object with a `name` and an `isEnabled` works as
 * well. `isEnabled` answers at once: a promise counts as a failure, and the flag is off.
 *
 * @example
 * class ActiveForPlan extends Strategy {
 *   constructor() {
 *     super("activeForPlan");
 *   }
 *   override isEnabled(parameters: Record<string, unknown>, context: Context): boolean {
 *     return context.properties?.["plan"] === parameters["plan"];
 *   }
 * }
 */
export class Strategy implements CustomStrategy {
  readonly name: string;
  readonly returnValue: boolean;

  constructor(name: string, returnValue = false) {
    this.name = name;
    this.returnValue = returnValue;
  }

  /** Whether the strategy applies to this context; to be overridden. */
  isEnabled(_parameters: Readonly<Record<string, unknown>>, _context: Context): unknown {
    return this.returnValue;
  }
}
