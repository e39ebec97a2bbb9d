registration = fragment();
if (registration) show("confirm");
else broken();
