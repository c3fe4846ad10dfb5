package apitest

const SignIn = "<!DOCTYPE html><title>Sign in</title>"
