export function renderResults(list, results) {
  list.replaceChildren();
  for (const { title, url } of results) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = url;
    link.textContent = title;
    item.append(link);
    list.append(item);
  }
}
