import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { Dialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SignInForm } from "./sign-in-form.tsx";
import "./sign-in-again.css";

/**
 * Covers a page whose session has ended until the same user signs in again, here or in another tab. The page stays as it
 * was, with what has been typed into its forms.
 */
export function SignInAgain() {
  const client = useQueryClient();
  const router = useRouter();
  // Queries have failed in the meantime, and changes by others were missed.
  useEffect(() => () => void client.invalidateQueries(), [client]);
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="dialog-overlay sign-in-again">
      <Modal className="dialog dialog-normal">
        <Dialog className="dialog-body">
          <header className="dialog-header">
            <Heading slot="title">You are no longer signed in</Heading>
          </header>
          <div className="dialog-content">
            <p>Sign in again to return to the page. What you have typed is kept.</p>
            <SignInForm returnTo={router.state.location.href} opensTab reason={undefined} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
