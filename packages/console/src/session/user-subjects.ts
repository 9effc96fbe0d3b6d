import type { FieldSubjects } from "../ui/field-errors.ts";

/** How sentences about the fields of an account begin. */
export const USER_SUBJECTS: FieldSubjects = {
  username: "The user name",
  email: "The email address",
  name: "The name",
  password: "The password",
};
