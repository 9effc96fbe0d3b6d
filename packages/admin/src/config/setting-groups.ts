/** Headings under which settings are shown, in order. */
export const SETTING_GROUPS = ["Listening", "Database", "Tokens", "Logging"] as const;
