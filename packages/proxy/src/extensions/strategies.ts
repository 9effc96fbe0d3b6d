import type { CustomStrategy } from "flags-engine";
import { type ExtensionShape, loadExtensions } from "./load-extensions.ts";

/** Strategies that can be used, with what a person should know about them. */
export interface LoadedStrategies {
  readonly strategies: readonly CustomStrategy[];
  readonly problems: readonly string[];
  readonly hints: readonly string[];
}

const strategyShape: ExtensionShape<CustomStrategy> = {
  displayName: "strategies",
  allowed: "an object with a name and a method isEnabled(parameters, context)",
  isExtension: (value): value is CustomStrategy => {
    if (typeof value !== "object" || value === null) return false;
    const { name, isEnabled } = value as Partial<Record<keyof CustomStrategy, unknown>>;
    return typeof name === "string" && name !== "" && typeof isEnabled === "function";
  },
};

/** Loads custom strategies. Of those that share a name the first is kept. */
export async function loadStrategies(
  entries: readonly unknown[],
  origin: string,
): Promise<LoadedStrategies> {
  const { extensions, problems } = await loadExtensions(entries, origin, strategyShape);
  const byName = new Map<string, CustomStrategy>();
  const hints: string[] = [];
  for (const strategy of extensions) {
    if (byName.has(strategy.name)) {
      hints.push(
        `${origin}: there are several strategies named ${JSON.stringify(strategy.name)}, the first is used`,
      );
    } else byName.set(strategy.name, strategy);
  }
  return { strategies: [...byName.values()], problems, hints };
}
