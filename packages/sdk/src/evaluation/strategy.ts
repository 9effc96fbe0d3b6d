import type { Context, CustomStrategy } from "flags-engine";

/**
 * Base class of custom activation strategies. Plain objects with a `name` and an `isEnabled` method
 * work as well. `isEnabled` must be synchronous: returning a promise is an error, and the strategy
 * does not match.
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

  /** Returns whether the strategy matches the context. Returns `returnValue` unless overridden. */
  isEnabled(_parameters: Readonly<Record<string, unknown>>, _context: Context): unknown {
    return this.returnValue;
  }
}
