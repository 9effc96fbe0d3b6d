/** Name of the file next to a bundle. */
export const LICENCES_FILE: string;

/** Returns the names, versions and licence texts of the packages from which a bundle contains modules. */
export function collectLicences(moduleIds: readonly string[]): Promise<string>;
