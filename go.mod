module wakelab

go 1.26
