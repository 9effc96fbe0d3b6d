import { ExternalLink, Plus } from "lucide-react";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import type { FieldSubjects } from "../ui/field-errors.ts";
import { TextField } from "../ui/fields.tsx";
import { RowMenu } from "../ui/menu.tsx";
import { useCanEdit } from "./use-can-edit.ts";

type FlagLink = Flag["links"][number];

/** As many as the service accepts. */
const MAX_LINKS = 10;

function linkPath({ project, name }: Flag, id?: string): string {
  const list = adminPath`/projects/${project}/features/${name}/link`;
  return id === undefined ? list : `${list}/${encodeURIComponent(id)}`;
}

/** Pages about a flag, such as the task that it belongs to. */
export function FlagLinks({ flag }: { readonly flag: Flag }) {
  const canEdit = useCanEdit(flag);
  const [edited, setEdited] = useState<FlagLink | "new">();
  const removal = useChange<FlagLink>({
    run: ({ id }) => request(linkPath(flag, id), { method: "DELETE" }),
    asks: (link) => ({
      title: `Remove the link ${textOf(link)}?`,
      consequence: `The page of ${flag.name} no longer links to ${link.url}.`,
      submit: "Remove",
    }),
    invalidates: [["flag", flag.project, flag.name]],
    success: (link) => `Removed the link ${textOf(link)}`,
    undo: ({ url, title }) => request(linkPath(flag), { method: "POST", body: { url, title } }),
  });
  const { links } = flag;
  if (links.length === 0 && !canEdit) return null;
  return (
    <div className="row">
      {links.length === 0 ? null : (
        <ul className="flag-links" aria-label="Links">
          {links.map((link) => (
            <li key={link.id}>
              <a href={link.url} target="_blank" rel="noreferrer" title={link.url}>
                <ExternalLink aria-hidden /> {textOf(link)}
              </a>
              {canEdit ? (
                <RowMenu
                  name={`the link ${textOf(link)}`}
                  entries={[
                    { label: "Edit", run: () => setEdited(link) },
                    { label: "Remove", isDangerous: true, run: () => removal.mutate(link) },
                  ]}
                />
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {canEdit && links.length < MAX_LINKS ? (
        <Button size="small" variant="quiet" onPress={() => setEdited("new")}>
          <Plus aria-hidden /> Add link
        </Button>
      ) : null}
      {edited === undefined ? null : (
        <LinkDialog
          flag={flag}
          {...(edited !== "new" && { link: edited })}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

function textOf({ title, url }: FlagLink): string {
  return title ?? url.replace(/^https?:\/\//, "");
}

const SUBJECTS: FieldSubjects = { url: "The address" };

interface LinkDialogProps {
  readonly flag: Flag;
  /** The link that is edited; absent for a new one. */
  readonly link?: FlagLink;
  readonly onClose: () => void;
}

function LinkDialog({ flag, link, onClose }: LinkDialogProps) {
  const [url, setUrl] = useState(link?.url ?? "");
  const [title, setTitle] = useState(link?.title ?? "");
  const saving = useChange({
    run: () =>
      request(linkPath(flag, link?.id), {
        method: link === undefined ? "POST" : "PUT",
        body: { url, title },
      }),
    invalidates: [["flag", flag.project, flag.name]],
    success: () => (link === undefined ? "Added the link" : "Saved the link"),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={link === undefined ? "Add a link" : "Edit the link"}
      submit={link === undefined ? "Add link" : "Save"}
      draft={[url, title]}
      onClose={onClose}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
      isPending={saving.isPending}
      error={saving.error}
      subjects={SUBJECTS}
    >
      <TextField
        label="Address"
        name="url"
        value={url}
        onChange={setUrl}
        isRequired
        autoFocus
        maxLength={2000}
        description="For example of the task or the document that explains the flag: https://…"
      />
      <TextField label="Title" value={title} onChange={setTitle} maxLength={255} />
    </FormDialog>
  );
}
