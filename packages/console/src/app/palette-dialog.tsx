import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Dialog as AriaDialog } from "react-aria-components/Dialog";
import { Header } from "react-aria-components/Header";
import { Input } from "react-aria-components/Input";
import { Menu, MenuItem, MenuSection } from "react-aria-components/Menu";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { Text } from "react-aria-components/Text";
import { queries } from "../api/queries.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import { useReturnedFocus } from "../ui/use-returned-focus.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import type { PaletteProps } from "./palette.tsx";
import "./palette.css";

/** Something that the palette finds. */
interface Entry {
  readonly id: string;
  readonly label: string;
  /** What distinguishes it from others with the same name. */
  readonly detail?: string | null;
  /** An address within the console. */
  readonly to: string;
}

interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

interface PaletteDialogProps extends PaletteProps {
  readonly onClose: () => void;
}

/** The search across everything. */
export function PaletteDialog({ onClose, ...props }: PaletteDialogProps) {
  useReturnedFocus();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const groups = useGroups(text.trim(), props);
  const targets = new Map(
    groups.flatMap(({ entries }) => entries.map(({ id, to }): [string, string] => [id, to])),
  );
  return (
    <ModalOverlay
      isOpen
      isDismissable
      className="dialog-overlay palette-overlay"
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className="dialog palette">
        <AriaDialog className="dialog-body" aria-label="Find anything">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField className="palette-search" aria-label="Find anything" autoFocus>
              <Search aria-hidden />
              <Input
                className="palette-input"
                placeholder="Flag, project, segment, context field, page or action"
              />
              <Button size="small" variant="quiet" slot={null} onPress={onClose}>
                Close
              </Button>
            </SearchField>
            <div className="palette-results" tabIndex={0} role="region" aria-label="Results">
              <Menu
                className="options"
                aria-label="Results"
                onAction={(key) => {
                  onClose();
                  void navigate({ href: targets.get(String(key)) ?? "/" });
                }}
                renderEmptyState={() => <p className="muted palette-empty">Nothing found</p>}
              >
                {groups.map(({ name, entries }) => (
                  <MenuSection key={name}>
                    <Header className="option-group">{name}</Header>
                    {entries.map(({ id, label, detail }) => (
                      <MenuItem key={id} id={id} textValue={label} className="option">
                        <Text slot="label">
                          {label}
                          {detail === undefined || detail === null || detail === "" ? null : (
                            <span className="field-description palette-detail">{detail}</span>
                          )}
                        </Text>
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </div>
          </Autocomplete>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** How many entries of a group are shown: those that follow are found with more letters. */
const SHOWN = 6;

/** What matches a text, by kind. Without a text, pages and actions. */
function useGroups(text: string, { project, pages }: PaletteProps): readonly Group[] {
  const { data: projects = [] } = useQuery(queries.projects());
  const { data: segments = [] } = useQuery(queries.segments());
  const { data: fields = [] } = useQuery(queries.contextFields());
  const query = useDebounced(text);
  const { data: flags = [] } = useQuery({ ...queries.foundFlags(query), enabled: query !== "" });
  const canEdit = useHasRole("editor");
  const canEditFlags = useHasProjectRole(project, "editor");
  const isAdmin = useHasRole("admin");

  const words = toWords(text);
  const nameOf = (id: string): string => projects.find((one) => one.id === id)?.name ?? id;
  const ofProject = (page: string): string => `/projects/${encodeURIComponent(project)}/${page}`;
  const actions: readonly (Entry | undefined)[] = [
    canEditFlags ? toAction("New flag", ofProject("flags"), `in ${nameOf(project)}`) : undefined,
    canEdit ? toAction("New segment", "/segments") : undefined,
    canEdit ? toAction("New context field", "/context-fields") : undefined,
    isAdmin ? toAction("New project", "/projects") : undefined,
    isAdmin ? toAction("New API token", "/tokens") : undefined,
  ];
  const ofCurrentProject = [
    ["Flags", "flags"],
    ["Archive", "archive"],
    ["Import and export", "transfer"],
    ["Project settings", "settings"],
  ].map(([label = "", page = ""]) => ({
    id: `page ${page}`,
    label,
    detail: nameOf(project),
    to: ofProject(page),
  }));

  const select = (entries: readonly Entry[], limit: number): readonly Entry[] =>
    entries
      .filter(({ label, detail }) => matchesWords(words, label, detail))
      .toSorted((a, b) => rank(a.label, text) - rank(b.label, text))
      .slice(0, limit);
  const found: readonly Group[] = [
    {
      name: "Flags",
      // The service also finds descriptions, and results of an earlier text are replaced a moment later.
      entries:
        text === ""
          ? []
          : flags
              .filter(({ name, description }) =>
                matchesWords([text.toLowerCase()], name, description),
              )
              .map((flag) => ({
                id: `flag ${flag.name}`,
                label: flag.name,
                detail: [nameOf(flag.project), flag.description].filter(Boolean).join(" · "),
                to: `/projects/${encodeURIComponent(flag.project)}/flags/${encodeURIComponent(flag.name)}`,
              })),
    },
    {
      name: "Projects",
      entries: select(
        projects.map(({ id, name, description }) => ({
          id: `project ${id}`,
          label: name,
          detail: description === "" ? id : description,
          to: `/projects/${encodeURIComponent(id)}/flags`,
        })),
        text === "" ? 0 : SHOWN,
      ),
    },
    {
      name: "Segments",
      entries: select(
        segments.map(({ id, name, description }) => ({
          id: `segment ${id}`,
          label: name,
          detail: description,
          to: withQuery("/segments", name),
        })),
        text === "" ? 0 : SHOWN,
      ),
    },
    {
      name: "Context fields",
      entries: select(
        fields.map(({ name, description }) => ({
          id: `field ${name}`,
          label: name,
          detail: description,
          to: withQuery("/context-fields", name),
        })),
        text === "" ? 0 : SHOWN,
      ),
    },
    {
      name: "Pages",
      entries: select(
        [...ofCurrentProject, ...pages.map(({ to, label }) => ({ id: `page ${to}`, label, to }))],
        pages.length + ofCurrentProject.length,
      ),
    },
    {
      name: "Actions",
      entries: select(
        actions.flatMap((action) => action ?? []),
        actions.length,
      ),
    },
  ];
  return found.filter(({ entries }) => entries.length > 0);
}

/** Names that begin with the text come before those that contain it. */
function rank(label: string, text: string): number {
  const lowerCase = label.toLowerCase();
  if (lowerCase === text.toLowerCase()) return 0;
  return lowerCase.startsWith(text.toLowerCase()) ? 1 : 2;
}

/** An action that opens a dialog of a page. */
function toAction(label: string, page: string, detail: string | null = null): Entry {
  return { id: `action ${label}`, label, detail, to: `${page}?create=yes` };
}

function withQuery(page: string, query: string): string {
  return `${page}?${new URLSearchParams({ query: JSON.stringify(query) }).toString()}`;
}
