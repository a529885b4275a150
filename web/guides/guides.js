// The language that the reader chose in one place applies to all samples, on all pages.
const key = "filmstrip-language";

function choose(language) {
  for (const input of document.querySelectorAll(".tabs input")) if (input.value === language) input.checked = true;
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tabs input")) return;
  const before = target.getBoundingClientRect().top;
  localStorage.setItem(key, target.value);
  choose(target.value);
  scrollBy(0, target.getBoundingClientRect().top - before); // samples above may have become longer
});

choose(localStorage.getItem(key));

for (const code of document.querySelectorAll("article pre")) {
  code.tabIndex = 0; // it may have to be scrolled
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.innerText);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  code.replaceWith(frame);
  frame.append(code, button);
}
