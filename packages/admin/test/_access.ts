import { ProjectAccess } from "../src/access/project-access.ts";

/** The access of admins. */
export const EVERYWHERE = ProjectAccess.everywhere("admin");
