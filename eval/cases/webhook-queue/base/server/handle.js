export async function handle(event) {
  if (event.kind === 'paid') await import('./paid.js').then(({ paid }) => paid(event));
}
