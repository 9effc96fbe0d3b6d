import { SecretDialog } from "../ui/secret-dialog.tsx";

interface PasswordLinkProps {
  /** The name of the user. */
  readonly name: string;
  /** Whether the user has no password yet. */
  readonly isInvite: boolean;
  readonly link: string;
  readonly onClose: () => void;
}

/** Shows once the link with which a user chooses a password. */
export function PasswordLink({ name, isInvite, link, onClose }: PasswordLinkProps) {
  return (
    <SecretDialog
      title={isInvite ? `Invite ${name}` : `A new password for ${name}`}
      what="link"
      secret={link}
      onClose={onClose}
    >
      <p>
        Pass this link on to {name}, who chooses a password with it. It works once, for 24 hours.
        The service sends no mail.
      </p>
    </SecretDialog>
  );
}
