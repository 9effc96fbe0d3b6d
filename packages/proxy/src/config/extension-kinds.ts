import type { CustomStrategy } from "flags-engine";
import { isRecord } from "flags-server-kit/neutral";
import type { ContextEnricher } from "../core/context/enrichers.ts";

/** How to recognize an extension of one kind, and how messages describe it. */
export interface ExtensionKind<T> {
  readonly displayName: string;
  /** Completes "must be …". */
  readonly allowed: string;
  readonly isExtension: (value: unknown) => value is T;
}

export const strategyKind: ExtensionKind<CustomStrategy> = {
  displayName: "strategies",
  allowed: "an object with a name and a method isEnabled(parameters, context)",
  isExtension: (value): value is CustomStrategy => {
    if (!isRecord(value)) return false;
    const { name, isEnabled }: Partial<Record<string, unknown>> = value;
    return typeof name === "string" && name !== "" && typeof isEnabled === "function";
  },
};

export const enricherKind: ExtensionKind<ContextEnricher> = {
  displayName: "enrichers",
  allowed: "a function (context, request) that returns a context or a promise of it",
  isExtension: (value): value is ContextEnricher => typeof value === "function",
};

/** Says why a value is no extension. @param subject names it */
export function describeInvalid(
  value: unknown,
  subject: string,
  { allowed }: Pick<ExtensionKind<unknown>, "allowed">,
): string {
  return `${subject} must be ${allowed}${hintAtClass(value)}`;
}

/** Returns the strategies without those whose name an earlier one has, and a hint for each of these. */
export function keepFirstOfEachName(strategies: readonly CustomStrategy[], origin: string) {
  const byName = new Map<string, CustomStrategy>();
  const hints: string[] = [];
  for (const strategy of strategies) {
    if (byName.has(strategy.name)) {
      const name = JSON.stringify(strategy.name);
      hints.push(`${origin}: several strategies are named ${name}: the first one is used`);
    } else byName.set(strategy.name, strategy);
  }
  return { extensions: [...byName.values()], hints };
}

/** Says how to use a class instead of an extension; empty for other values. */
function hintAtClass(value: unknown): string {
  const isClass = typeof value === "function" && /^class\b/.test(String(value));
  return isClass ? `: ${value.name} is a class, so export an instance of it` : "";
}
