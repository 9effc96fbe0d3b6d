import { badData } from "../errors.ts";
import { switchEvent } from "../domain/features/is-enabled.ts";
import { noSuchEnvironment } from "../domain/features/no-such-environment.ts";
import { checkAtPath } from "./at-path.ts";
import { refuseRepetition } from "./import-needs.ts";
import type { Planning } from "./plan-feature.ts";
import { planStrategies } from "./plan-strategies.ts";
import type { EnvironmentInFile, FeatureInFile } from "./schemas.ts";

/** Plans what a feature is in its environments; where the file does not speak of one, it stays. */
export function planEnvironments(
  planning: Planning,
  { name: feature, environments = [] }: FeatureInFile,
  path: string,
): void {
  const { target, changes } = planning;
  refuseRepetition(environments, `${path}/environments`);
  const enabledIn = target.enabled.get(feature);
  const known = enabledIn ?? new Map(target.environments.map((name) => [name, false]));
  const after = new Map(known);
  for (const [index, environment] of environments.entries()) {
    const environmentPath = `${path}/environments/${index}`;
    checkAtPath(`${environmentPath}/name`, () => {
      if (!known.has(environment.name)) throw noSuchEnvironment(feature, environment.name);
    });
    checkEnabled(environment, environmentPath);
    planStrategies(planning, { feature, environment, path: environmentPath });
    after.set(environment.name, environment.enabled);
    if (known.get(environment.name) !== environment.enabled) {
      const place = { feature, environment: environment.name, project: target.project };
      changes.events.push(switchEvent(place, environment.enabled));
    }
  }
  for (const [environment, enabled] of after) {
    if (enabledIn?.get(environment) === enabled) continue;
    changes.environments.push({ feature, environment, enabled });
  }
}

function checkEnabled({ enabled, strategies }: EnvironmentInFile, path: string): void {
  if (!enabled || strategies.some(({ disabled }) => disabled !== true)) return;
  throw badData(`${path}/enabled`, "must be false without a strategy that is not disabled");
}
