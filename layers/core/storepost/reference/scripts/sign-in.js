show("sign-in");
