import { ConfigError, type Environment, resolveSettings } from "flags-server-kit";
import { translateEnvironment } from "../config/aliases/translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";

/** Reads the settings for requests to a proxy. NOTE: it may run on another machine, with other settings. */
export function readKeySettings(environment: Environment) {
  const { clientKeys, proxySecrets, serverTokens, clientKeysHeaderName } = SETTINGS;
  const translated = translateEnvironment(SETTINGS, environment);
  const { values, problems } = resolveSettings(
    { clientKeys, proxySecrets, serverTokens, clientKeysHeaderName },
    { environment: translated.environment },
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...values, clientKeys: values.clientKeys ?? values.proxySecrets ?? [] };
}
