import { utf8Bytes } from '../../core/text/cut.js';

const MAX_NAME_BYTES = 100;
/** Names that Windows keeps for devices (Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** What no file may be called on one of the systems that a memory is read on. */
const NO_FILE_NAME = /[<>:"|?*]/;
/**
 * Control characters, line breaks, halves of characters, and what nobody sees: two names must not look the same because
 * of it. The two joiners and the emoji selector are part of how some scripts and emoji are written.
 */
const UNREADABLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u2800]|(?!\u200C|\u200D|\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
/** Joiners behind what is neither a letter of such a script nor an emoji, where they change nothing that is seen. */
const IDLE_JOINER =
  /(?<!(?!\p{Script=Latin})\p{L}|(?!\p{Script=Inherited})\p{M}|[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\uFE0F)(?:\u200C|\u200D)/u;
/** Something of a name has to be seen. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A note's name, or why a text is none. */
type NoteName =
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
  if (UNREADABLE.test(name) || IDLE_JOINER.test(name) || !VISIBLE.test(name))
    return invalid('no control or invisible characters');
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
