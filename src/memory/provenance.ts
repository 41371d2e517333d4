/**
 * A value as it is between spaces in a line of ours: `[A-Za-z0-9._:/@+-]` as they are, everything else
 * percent-encoded, and never two hyphens in a row, so that it can neither end a field nor an HTML comment.
 */
export function encodeField(value: string): string {
  return value
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[^A-Za-z0-9._:/@+-]/gu, percentEncode)
    .replace(/(?<=-)-/g, '%2D');
}

/** The value of a field; one that was not encoded by us is given unchanged. */
export function decodeField(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
}

/** `encodeURIComponent` leaves `!'()*~` as they are; here they are encoded too. */
function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  if (encoded !== character) return encoded;
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Where an entry comes from, as the action knows it from the event; never from the model (D8). */
export interface Provenance {
  /** Unique id of the entry: letters, digits and single hyphens, so that it is in the line as it is. */
  readonly id: string;
  /** `<run id>/<attempt>`. */
  readonly run?: string | undefined;
  readonly job?: string | undefined;
  readonly event?: string | undefined;
  /** Commit the run was about; its first seven characters are kept. */
  readonly sha?: string | undefined;
  readonly actor?: string | undefined;
  readonly trust?: string | undefined;
  /** `provider/model`. */
  readonly model?: string | undefined;
}

const SHA_CHARACTERS = 7;
const MISSING = '-';
const FIELDS = ['id', 'run', 'job', 'event', 'sha', 'actor', 'trust', 'model'] as const;
const LINE = new RegExp(
  `^<!-- axe-action v=1 ${FIELDS.map((field) => `${field}=([A-Za-z0-9._:/@+%-]+)`).join(' ')}(?: sig=[0-9a-f]+)? -->\\r?$`,
);

/**
 * The provenance line of an entry, without its line break: an HTML comment that axe and markdown viewers ignore
 * (D8). Values hold `[A-Za-z0-9._:/@+-]`, everything else is percent-encoded, and neither `--` nor `>` can appear
 * in one, so no value ends the comment.
 */
export function formatProvenance(provenance: Provenance): string {
  const sha = provenance.sha?.slice(0, SHA_CHARACTERS);
  const values = FIELDS.map((field) => `${field}=${encode(field === 'sha' ? sha : provenance[field])}`);
  return `<!-- axe-action v=1 ${values.join(' ')} -->`;
}

/** What a line says if it is exactly one that {@link formatProvenance} writes, or else undefined. */
export function parseProvenance(line: string): Provenance | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [id, run, job, event, sha, actor, trust, model] = match.slice(1).map(decode);
  return id === undefined ? undefined : { id, run, job, event, sha, actor, trust, model };
}

function encode(value: string | undefined): string {
  if (value === undefined || value === '') return MISSING;
  return value === MISSING ? '%2D' : encodeField(value);
}

function decode(value: string): string | undefined {
  return value === MISSING ? undefined : decodeField(value);
}
