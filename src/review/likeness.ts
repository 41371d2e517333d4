import { FEATURE_BITS, type Features, WEIGHTS } from './features.js';

/** How much a word counts that the line of code has anyway, when both texts are about that line. */
const FAMILIAR_SHARE = 0.4;

/** From this weight on a text is long enough that being contained in another one says something. */
const TELLING_WEIGHT = 6;

/**
 * How much two texts say the same, from 0 to 1: what they share of both, and what they share of the shorter one, since
 * one person writes a line where another writes a paragraph. `familiar` are the words of the code that both are about.
 */
export function likeness(a: Features, b: Features, familiar: ReadonlySet<number> = NONE): number {
  const weightOf = (feature: number, weight: number): number =>
    familiar.has(feature) ? weight * FAMILIAR_SHARE : weight;
  let [shared, sumA, sumB] = [0, 0, 0];
  for (const [feature, weight] of b.weights) sumB += weightOf(feature, weight);
  for (const [feature, weight] of a.weights) {
    sumA += weightOf(feature, weight);
    shared += weightOf(feature, Math.min(weight, b.weights.get(feature) ?? 0));
  }
  const shorter = Math.min(sumA, sumB);
  if (shorter === 0) return 0;
  const byContainment = 0.5 * Math.min(1, shorter / TELLING_WEIGHT);
  const dice = (2 * shared) / (sumA + sumB);
  return Math.min(1, (1 - byContainment) * dice + (byContainment * shared) / shorter);
}

const NONE: ReadonlySet<number> = new Set();

/** The share of names of code that both texts have, of the text that has fewer; undefined where one names none. */
export function sharedNames(a: Features, b: Features): number | undefined {
  const fewer = Math.min(a.names.size, b.names.size);
  if (fewer === 0) return undefined;
  return [...a.names].filter((name) => b.names.has(name)).length / fewer;
}

/** Features that a sketch keeps. */
const SKETCH_FEATURES = 24;
const FEATURE_BYTES = 4;

/** By the two lowest bits of a feature in a sketch; the first is a name that is too short to count as a word. */
const SKETCH_WEIGHTS: readonly number[] = [0, WEIGHTS.stock, WEIGHTS.word, WEIGHTS.name];

/**
 * Features as they are kept in a state file: at most 24, those that count most, in 128 characters (base64url). No word
 * can be read from it.
 */
export function sketchOf({ weights, names }: Features): string {
  const all = new Map([...[...names].map((name) => [name, 0] as const), ...weights]);
  const kept = [...all]
    .map(([feature, weight]) => ({ feature, kind: kindOf(weight) }))
    .sort((a, b) => rankOf(b.kind) - rankOf(a.kind) || a.feature - b.feature)
    .slice(0, SKETCH_FEATURES);
  const bytes = new DataView(new ArrayBuffer(kept.length * FEATURE_BYTES));
  for (const [index, { feature, kind }] of kept.entries())
    bytes.setUint32(index * FEATURE_BYTES, feature * SKETCH_WEIGHTS.length + kind);
  const binary = String.fromCharCode(...new Uint8Array(bytes.buffer));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The features that a sketch keeps; undefined for a text that is none. */
export function readSketch(sketch: string): Features | undefined {
  if (!/^[\w-]*$/.test(sketch) || sketch.length % 4 === 1) return undefined;
  const binary = atob(sketch.replaceAll('-', '+').replaceAll('_', '/'));
  if (binary.length % FEATURE_BYTES !== 0 || binary.length > SKETCH_FEATURES * FEATURE_BYTES)
    return undefined;
  const bytes = new DataView(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)).buffer);
  const weights = new Map<number, number>();
  const names = new Set<number>();
  for (let at = 0; at < bytes.byteLength; at += FEATURE_BYTES) {
    const packed = bytes.getUint32(at);
    const feature = packed >>> (32 - FEATURE_BITS);
    const weight = SKETCH_WEIGHTS[packed % SKETCH_WEIGHTS.length] ?? 0;
    if (weight > 0) weights.set(feature, weight);
    if (weight === 0 || weight === WEIGHTS.name) names.add(feature);
  }
  return { weights, names };
}

function kindOf(weight: number): number {
  return SKETCH_WEIGHTS.indexOf(weight);
}

/** Short names distinguish one line from another, so they go before plain words. */
function rankOf(kind: number): number {
  return kind === 0 ? 2.5 : kind;
}
