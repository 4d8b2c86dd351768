# written by hand
