import { utf8Bytes } from '../../prompt/cut.js';

const MAX_NAME_BYTES = 100;
/** Names that Windows keeps for devices (Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** What no file may be called on one of the systems that a memory is read on. */
const NO_FILE_NAME = /[<>:"|?*]/;
/** Control characters, line breaks, halves of characters, and marks that turn the order of what is read around. */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;

/** A note's name, or why a text is none. */
export type NoteName =
  | { readonly kind: 'name'; readonly name: string }
  /** The words that memory tools answer with. */
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * The name of a note as its file has it, without `.md`: composed (NFC), without space around it, at most 100 bytes, and
 * one that every file system takes. So it can never lead out of its folder.
 */
export function parseNoteName(given: string | undefined): NoteName {
  const name = withoutSpace(given ?? '')
    .replace(/(?:\.md)+$/, '')
    .normalize('NFC');
  if (withoutSpace(name) === '' || /[/\\.]/.test(name)) return invalid('no slashes or dots');
  if (UNREADABLE.test(name)) return invalid('no control characters');
  if (NO_FILE_NAME.test(name)) return invalid('none of < > : " | ? *');
  if (DEVICE.test(withoutSpace(name))) return invalid('Windows keeps it for a device');
  if (utf8Bytes(name) > MAX_NAME_BYTES) return invalid(`more than ${MAX_NAME_BYTES} bytes`);
  return { kind: 'name', name };
}

function invalid(reason: string): NoteName {
  return { kind: 'invalid', message: `invalid note name (${reason})` };
}

function withoutSpace(text: string): string {
  return text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
}
