/** Shows results; the words that were searched for are marked. */
export function renderResults(list, results, words) {
  list.replaceChildren();
  for (const { title, url } of results) {
    const item = document.createElement('li');
    item.innerHTML = `<a href="${url}">${mark(title, words)}</a>`;
    list.append(item);
  }
}

function mark(title, words) {
  const pattern = new RegExp(words.join('|'), 'gi');
  return title.replace(pattern, (word) => `<mark>${word}</mark>`);
}
